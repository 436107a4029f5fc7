import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/metadata-options.ts';
import { commandClient } from '../command-client.ts';
import { credentialsOf } from '../credentials-of.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';
import { askMount } from '../mount/ask-mount.ts';
import { runningMounts } from '../mount/select-mount.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';
import type { Platform } from './platform.ts';

/** The platform of a profile, without a mount. */
export async function directPlatform(options: PlatformOptions, command: Command): Promise<Platform> {
  refuseShownPassword(command);
  const credentials = await credentialsOf(options, command);
  const { endpoint } = credentials;
  const { api } = await commandClient(credentials, options);
  return {
    api,
    onChanged: async (files) => {
      const learnt = files.map(({ id, tags, metadata }) => ({ id, tags, metadata }));
      await tellMounts(endpoint, learnt);
    },
    explain: (error) => {
      const told = accessError(error, endpoint);
      return told && new CliError(told.exit, told.message, { cause: error });
    },
    close: () => api.close(),
  };
}

type Learnt = Extract<Parameters<typeof askMount>[1], { readonly request: 'learn' }>['files'];

/** A mount that does not answer asks the service by itself when what it knows is old. */
async function tellMounts(endpoint: string, files: Learnt): Promise<void> {
  for (const mount of await runningMounts()) {
    const record = await readRecord<MountRecord>(mount.directory.record);
    if (record?.endpoint !== endpoint) continue;
    try {
      for await (const _ of askMount(mount, { request: 'learn', files }));
    } catch {
      // The change is made; the mount learns it later.
    }
  }
}
