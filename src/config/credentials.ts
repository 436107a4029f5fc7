/**
 * Endpoint, token and dialect. Endpoint and token are looked for each on its own: flags, then the profile that is named,
 * then the environment, then configuration files, then profile `default` of `~/.svcfs/credentials`.
 *
 * The places of the platform's public client come last: SB_API_ENDPOINT and SB_AUTH_TOKEN, then profile `default` of
 * `~/.sevenbridges/credentials`. Each of them is taken whole or not at all: its token is for its endpoint.
 */
import { join } from 'node:path';
import type { Dialect } from '../contract/dialect.ts';
import { CredentialsError } from './credentials-error.ts';
import type { Environment } from './directories.ts';
import { InvalidValue } from './option.ts';
import { parseEndpoint } from './option-text.ts';
import { isKnownPlatform } from './platforms.ts';
import { ProfileFile } from './profile-file.ts';
import { checkedToken, readTokenFile } from './token-file.ts';
import type { TokenPlace, TokenPlaces } from './token-places.ts';

export interface Credentials {
  readonly endpoint: string;
  readonly token: string;
  readonly dialect: DialectChoice;
  /** Where another token may be found later; undefined: nowhere. */
  readonly tokenPlaces?: TokenPlaces | undefined;
}

/** `settled`: somebody chose it; else it is a guess, for the first answer to prove. */
export interface DialectChoice {
  readonly dialect: Dialect;
  readonly settled: boolean;
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
  readonly dialect: Dialect | undefined;
  readonly environment: Environment;
  readonly home: string;
}

export const DEFAULT_PROFILE = 'default';

/** Ours first: `~/.svcfs/credentials`, then that of the platform's public client. */
export function credentialFiles(home: string): { readonly ours: string; readonly platform: string } {
  return {
    ours: join(home, '.svcfs', 'credentials'),
    platform: join(home, '.sevenbridges', 'credentials'),
  };
}

/** What one place has. The dialect goes with the endpoint, the place with the token. */
interface Found {
  readonly endpoint?: string | undefined;
  readonly dialect?: Dialect | undefined;
  /** The platform's public client has it from there too. */
  readonly isPlatforms?: boolean;
  readonly token?: string | undefined;
  readonly place?: TokenPlace | undefined;
}

export async function resolveCredentials(sources: CredentialSources): Promise<Credentials> {
  const { profile = DEFAULT_PROFILE, home } = sources;
  const { endpoint, token, dialect, isPlatforms = false, place } = await find(sources);
  const where = `api_endpoint and auth_token under [${profile}] in ${credentialFiles(home).ours}`;
  const login = `run svcfs login${sources.profile === undefined ? '' : ` --profile ${profile}`}`;
  if (endpoint === undefined) {
    throw new CredentialsError(
      `no API endpoint: give --endpoint, set SVC_API_ENDPOINT, ${login}, or write ${where}`,
    );
  }
  if (token === undefined) {
    throw new CredentialsError(
      `no token: give --token-file, set SVC_AUTH_TOKEN, ${login}, or write ${where}`,
    );
  }
  const checked = checkedEndpoint(endpoint);
  const chosen = sources.dialect ?? dialect;
  const guess = isPlatforms || isKnownPlatform(checked) ? 'sbg' : 'svc';
  const loggedIn: TokenPlace = { kind: 'profile', path: credentialFiles(home).ours, profile };
  return {
    endpoint: checked,
    token: checkedToken(token),
    dialect: { dialect: chosen ?? guess, settled: chosen !== undefined },
    tokenPlaces: { own: place, loggedIn },
  };
}

async function find(sources: CredentialSources): Promise<Found> {
  const { profile, environment, home, configured } = sources;
  const { ours, platform } = credentialFiles(home);
  let found = await foundBy(sources);
  if (profile !== undefined) found = joined(found, await namedProfile(home, profile));
  found = joined(found, {
    endpoint: fromEnvironment(environment, 'SVC_API_ENDPOINT'),
    token: fromEnvironment(environment, 'SVC_AUTH_TOKEN'),
  });
  if (configured !== undefined && !isComplete(found)) found = joined(found, await foundBy(configured));
  if (profile !== undefined || isComplete(found)) return found;
  const file = await ProfileFile.read(ours, 'ours');
  found = joined(found, foundIn(file, DEFAULT_PROFILE));
  if (isComplete(found)) return found;
  found = completed(found, {
    endpoint: fromEnvironment(environment, 'SB_API_ENDPOINT'),
    token: fromEnvironment(environment, 'SB_AUTH_TOKEN'),
    isPlatforms: true,
  });
  if (isComplete(found)) return found;
  const theirs = await ProfileFile.read(platform, 'platform');
  return completed(found, { ...foundIn(theirs, DEFAULT_PROFILE), isPlatforms: true });
}

async function foundBy({ endpoint, tokenFile }: CredentialOptions): Promise<Found> {
  if (tokenFile === undefined) return { endpoint };
  return { endpoint, token: await readTokenFile(tokenFile), place: { kind: 'file', path: tokenFile } };
}

/** @throws CredentialsError that names the profiles there are, and their files */
async function namedProfile(home: string, name: string): Promise<Found> {
  const { ours, platform } = credentialFiles(home);
  const own = await ProfileFile.read(ours, 'ours');
  if (own?.names.includes(name)) return foundIn(own, name);
  const theirs = await ProfileFile.read(platform, 'platform');
  if (theirs?.names.includes(name)) return { ...foundIn(theirs, name), isPlatforms: true };
  const told = [own, theirs].flatMap((file) =>
    file === undefined ? [] : [`${file.path} (profiles there: ${file.names.join(', ') || 'none'})`],
  );
  throw new CredentialsError(
    told.length === 0
      ? `no profile ${name}, for there is no ${ours}: run svcfs login --profile ${name}`
      : `no profile ${name} in ${told.join(' or ')}: run svcfs login --profile ${name}`,
  );
}

function foundIn(file: ProfileFile | undefined, name: string): Found {
  const profile = file?.profile(name);
  if (file === undefined || profile === undefined) return {};
  const { endpoint } = profile;
  return { ...profile, place: { kind: 'profile', path: file.path, profile: name, endpoint } };
}

function isComplete({ endpoint, token }: Found): boolean {
  return endpoint !== undefined && token !== undefined;
}

/** What the first place does not have, from the second. */
function joined(first: Found, second: Found): Found {
  const { endpoint, dialect, isPlatforms = false } = first.endpoint === undefined ? second : first;
  const { token, place } = first.token === undefined ? second : first;
  return { endpoint, dialect, isPlatforms, token, place: token === undefined ? undefined : place };
}

/** From a place of the platform's client: nothing but what goes with an endpoint that is its own. */
function completed(found: Found, theirs: Found): Found {
  if (!isComplete(theirs) || found.token !== undefined) return found;
  const isSame = found.endpoint === undefined || sameEndpoint(found.endpoint, theirs.endpoint);
  return isSame ? joined({}, theirs) : found;
}

function sameEndpoint(one: string, other: string | undefined): boolean {
  return one.replace(/\/+$/, '') === other?.replace(/\/+$/, '');
}

/** An empty variable counts as unset. */
function fromEnvironment(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined;
}

function checkedEndpoint(endpoint: string): string {
  try {
    return parseEndpoint(endpoint);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CredentialsError(`'${endpoint}' is no API endpoint. ${error.message}`, { cause: error });
  }
}
