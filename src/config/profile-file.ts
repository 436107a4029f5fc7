/**
 * Profiles in a file of endpoints and tokens:
 *
 *   [default]
 *   api_endpoint = https://api.example.org/v2
 *   auth_token   = …
 */
import { parse as parseIni } from 'ini';
import { errorCode } from '../lib/error-code.ts';
import { nearestWord } from '../lib/nearest-word.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { CredentialsError } from './credentials-error.ts';
import { readPrivateFile } from './private-file.ts';

export interface Profile {
  readonly endpoint: string | undefined;
  readonly token: string | undefined;
}

export const NO_PROFILE: Profile = { endpoint: undefined, token: undefined };

/** The keys of a profile. */
export const PROFILE_KEYS = ['api_endpoint', 'auth_token'] as const;

/** Editors of other systems put it first. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** `optional`: there need be no such profile, nor a file. */
export async function readProfile(file: string, name: string, need?: 'optional'): Promise<Profile> {
  let text: string;
  try {
    text = await readPrivateFile(file);
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
  for (const key of keys.keys()) requireKnown(key, `profile ${name} in ${file}`);
  return { endpoint: textOf(keys.get('api_endpoint')), token: textOf(keys.get('auth_token')) };
}

/**
 * Refuses a mistyped key. Otherwise its value would come from elsewhere, as the token of another account from the
 * environment.
 */
function requireKnown(key: string, where: string): void {
  if (PROFILE_KEYS.some((known) => known === key)) return;
  throw new CredentialsError(
    `unknown key ${key} of ${where}: did you mean ${nearestWord(key, PROFILE_KEYS)}?`,
  );
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
