/**
 * Endpoint and token. Each is looked for on its own: flags, then a profile named on the command line, then the
 * environment, then profile `default` of `~/.svcfs/credentials`:
 *
 *   [default]
 *   api_endpoint = https://api.example.org/v2
 *   auth_token   = …
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseIni } from 'ini';
import { errorCode } from '../lib/error-code.ts';
import { plainReason } from '../lib/plain-reason.ts';
import type { Environment } from './directories.ts';
import { InvalidValue } from './option.ts';
import { parseEndpoint } from './option-text.ts';

export interface Credentials {
  readonly endpoint: string;
  readonly token: string;
}

/** No usable credentials. The message is one line that names the file, the profile and what to do. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

export interface CredentialSources {
  /** From the command line. */
  readonly endpoint: string | undefined;
  readonly tokenFile: string | undefined;
  readonly profile: string | undefined;
  readonly environment: Environment;
  readonly home: string;
}

interface Profile {
  readonly endpoint: string | undefined;
  readonly token: string | undefined;
}

/** Editors of other systems put it first. */
const BYTE_ORDER_MARK = /^\uFEFF/;

const NO_PROFILE: Profile = { endpoint: undefined, token: undefined };

export async function resolveCredentials(sources: CredentialSources): Promise<Credentials> {
  const { environment, tokenFile } = sources;
  const file = join(sources.home, '.svcfs', 'credentials');
  const named = sources.profile === undefined ? NO_PROFILE : await readProfile(file, sources.profile);
  let endpoint = sources.endpoint ?? named.endpoint ?? fromEnvironment(environment, 'SVC_API_ENDPOINT');
  let token = tokenFile === undefined ? undefined : await readTokenFile(tokenFile);
  token ??= named.token ?? fromEnvironment(environment, 'SVC_AUTH_TOKEN');
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

async function readTokenFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new CredentialsError(`cannot read the token file ${path}: ${plainReason(error)}`, { cause: error });
  }
}

async function readProfile(file: string, name: string, need?: 'optional'): Promise<Profile> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      throw new CredentialsError(`${file} holds tokens and others may read it: run chmod 600 ${file}`);
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    if (need === 'optional' && errorCode(error) === 'ENOENT') return NO_PROFILE;
    throw new CredentialsError(`cannot read profile ${name} from ${file}: ${plainReason(error)}`, {
      cause: error,
    });
  }
  const sections = parseIni(escapeMarks(escapeDots(text.replace(BYTE_ORDER_MARK, ''))));
  const section: unknown = Object.hasOwn(sections, name) ? sections[name] : undefined;
  if (typeof section !== 'object' || section === null) {
    if (need === 'optional') return NO_PROFILE;
    const known = Object.keys(sections).join(', ') || 'none';
    throw new CredentialsError(`no profile ${name} in ${file} (profiles there: ${known})`);
  }
  const keys = new Map(Object.entries(section));
  return { endpoint: textOf(keys.get('api_endpoint')), token: textOf(keys.get('auth_token')) };
}

/** The ini package nests sections at dots; a profile name may have them. */
function escapeDots(text: string): string {
  return text.replace(/^[ \t]*\[[^\]\n]*\]/gm, (header) => header.replaceAll('.', '\\.'));
}

/** The ini package begins a comment at every mark of one; a token may have such marks, and a comment has a blank before it. */
function escapeMarks(text: string): string {
  return text.replace(/.+/g, (line) =>
    /^[^=]*=\s*["']/.test(line) ? line : line.replace(/(?<=[^\s\\])[;#]/g, '\\$&'),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
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
