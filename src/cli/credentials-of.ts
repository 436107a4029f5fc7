import { homedir } from 'node:os';
import type { Command } from 'commander';
import { type Credentials, resolveCredentials } from '../config/credentials.ts';
import { stateDirectory } from '../config/directories.ts';
import type { MountOptions } from '../config/mount-options.ts';
import { DialectMemory } from './dialect-memory.ts';

/** Endpoint, token and dialect of a command that has the options of `WHERE`. */
export async function credentialsOf(
  options: Pick<MountOptions, 'endpoint' | 'tokenFile' | 'profile' | 'dialect'>,
  command: Command,
): Promise<Credentials> {
  const valueFrom = (source: 'cli' | 'config', key: 'endpoint' | 'tokenFile'): string | undefined =>
    command.getOptionValueSource(key) === source ? options[key] : undefined;
  const credentials = await resolveCredentials({
    // The environment's endpoint has its own place in the order.
    endpoint: valueFrom('cli', 'endpoint'),
    tokenFile: valueFrom('cli', 'tokenFile'),
    configured: { endpoint: valueFrom('config', 'endpoint'), tokenFile: valueFrom('config', 'tokenFile') },
    profile: options.profile,
    dialect: options.dialect,
    environment: process.env,
    home: homedir(),
  });
  return new DialectMemory(stateDirectory(process.env, homedir())).recalled(credentials);
}
