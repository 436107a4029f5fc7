/**
 * Endpoint and token. Each is looked for on its own: flags, then the profile that is named, then the environment, then
 * configuration files, then profile `default` of `~/.svcfs/credentials`:
 *
 *   [default]
 *   api_endpoint = https://api.example.org/v2
 *   auth_token   = …
 */
import { join } from 'node:path';
import { plainReason } from '../lib/plain-reason.ts';
import { CredentialsError } from './credentials-error.ts';
import type { Environment } from './directories.ts';
import { InvalidValue } from './option.ts';
import { parseEndpoint } from './option-text.ts';
import { readPrivateFile } from './private-file.ts';
import { NO_PROFILE, readProfile } from './profile-file.ts';

export interface Credentials {
  readonly endpoint: string;
  readonly token: string;
}

/** Options that say where the credentials are. */
interface CredentialOptions {
  readonly endpoint: string | undefined;
  readonly tokenFile: string | undefined;
}

/** `endpoint` and `tokenFile` are from the command line. */
export interface CredentialSources extends CredentialOptions {
  /** From a configuration file. They count when neither a profile that is named nor the environment has any. */
  readonly configured?: CredentialOptions;
  readonly profile: string | undefined;
  readonly environment: Environment;
  readonly home: string;
}

export async function resolveCredentials(sources: CredentialSources): Promise<Credentials> {
  const { environment, configured } = sources;
  const file = join(sources.home, '.svcfs', 'credentials');
  const named = sources.profile === undefined ? NO_PROFILE : await readProfile(file, sources.profile);
  let endpoint = sources.endpoint ?? named.endpoint ?? fromEnvironment(environment, 'SVC_API_ENDPOINT');
  endpoint ??= configured?.endpoint;
  let token = await readTokenFile(sources.tokenFile);
  token ??= named.token ?? fromEnvironment(environment, 'SVC_AUTH_TOKEN');
  token ??= await readTokenFile(configured?.tokenFile);
  if ((endpoint === undefined || token === undefined) && sources.profile === undefined) {
    const fallback = await readProfile(file, 'default', 'optional');
    endpoint ??= fallback.endpoint;
    token ??= fallback.token;
  }
  const where = `api_endpoint and auth_token under [${sources.profile ?? 'default'}] in ${file}`;
  if (endpoint === undefined) {
    throw new CredentialsError(`no API endpoint: give --endpoint, set SVC_API_ENDPOINT, or write ${where}`);
  }
  if (token === undefined) {
    throw new CredentialsError(`no token: give --token-file, set SVC_AUTH_TOKEN, or write ${where}`);
  }
  return { endpoint: checkedEndpoint(endpoint), token: checkedToken(token) };
}

/** An empty variable counts as unset. */
function fromEnvironment(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined;
}

async function readTokenFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readPrivateFile(path)).trim();
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError(`cannot read the token file ${path}: ${plainReason(error)}`, { cause: error });
  }
}

function checkedEndpoint(endpoint: string): string {
  try {
    return parseEndpoint(endpoint);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CredentialsError(`'${endpoint}' is no API endpoint. ${error.message}`, { cause: error });
  }
}

/** A token goes into a header: anything but printable ASCII is a slip, such as the wrong file. */
function checkedToken(token: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new CredentialsError('the token is not one word of printable characters: is it the right file?');
  }
  return token;
}
