import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { PRIORITY } from '../../places/asking.ts';
import { apiOver, CALLS, isCounted, makeCall } from '../calls/calls.ts';
import { commandClient } from '../command-client.ts';
import { credentialsOf } from '../credentials-of.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';
import type { Platform } from './platform.ts';
import { mountsOf, tellMounts } from './tell-mounts.ts';

/** The platform of a profile, without a mount. */
export async function directPlatform(
  options: PlatformOptions,
  command: Command,
  interrupted: AbortSignal,
): Promise<Platform> {
  refuseShownPassword(command);
  const credentials = await credentialsOf(options, command);
  const { endpoint } = credentials;
  const { api } = await commandClient(credentials, options);
  let calls = 0;
  return {
    api: apiOver((call, { signal = interrupted, ...given }) => {
      if (isCounted(call)) calls += 1;
      const ends = CALLS[call.name].changes ? { untilSent: signal } : { signal };
      return makeCall(api, call, { ...given, ...ends, priority: PRIORITY });
    }),
    onChanged: async (files) => {
      const learnt = files.map(({ id, tags, metadata }) => ({ id, tags, metadata }));
      await tellMounts(await mountsOf(endpoint), { files: learnt });
    },
    onEntriesChanged: async (entries) => tellMounts(await mountsOf(endpoint), { entries }),
    onItemsChanged: async (items) => tellMounts(await mountsOf(endpoint), { items }),
    endpoint: () => Promise.resolve(endpoint),
    onTasksChanged: async (tasks) => tellMounts(await mountsOf(endpoint), { tasks }),
    explain: (error) => {
      const told = accessError(error, endpoint);
      return told && new CliError(told.exit, told.message, { cause: error });
    },
    calls: () => calls,
    connection: () => Promise.resolve(api.status()),
    close: () => api.close(),
  };
}
