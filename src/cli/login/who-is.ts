import { homedir } from 'node:os';
import type { OwnUser } from '../../api/api.ts';
import type { Credentials } from '../../config/credentials.ts';
import { stateDirectory } from '../../config/directories.ts';
import type { NETWORK } from '../../config/mount/network.ts';
import type { OptionValues } from '../../config/option.ts';
import type { Dialect } from '../../contract/dialect.ts';
import { commandClient } from '../command-client.ts';
import { DialectMemory } from '../dialect-memory.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';

type NetworkOptions = OptionValues<typeof NETWORK>;

/** Somebody waits at a terminal. */
const PATIENCE_MS = 10_000;

/** Asks the service for the owner of the token, and notes the dialect of the answer. @throws CliError when it does not tell */
export async function whoIs(
  credentials: Credentials,
  options: NetworkOptions,
): Promise<OwnUser & { readonly dialect: Dialect }> {
  const { endpoint, dialect } = credentials;
  const { api } = await commandClient(credentials, options, PATIENCE_MS);
  try {
    const user = await api.whoAmI();
    const found = api.status().dialect;
    if (!dialect.settled)
      await new DialectMemory(stateDirectory(process.env, homedir())).remember(endpoint, found);
    return { ...user, dialect: found };
  } catch (error) {
    const told = accessError(error, endpoint);
    throw told === undefined ? error : new CliError(told.exit, told.message, { cause: error });
  } finally {
    await api.close();
  }
}

/** Nothing when the service does not tell. */
export function describeTokenEnd({ tokenEndsMs }: OwnUser): readonly string[] {
  if (tokenEndsMs === undefined) return [];
  return [`the token is good until ${new Date(tokenEndsMs).toISOString().replace(/\.\d+/, '')}`];
}
