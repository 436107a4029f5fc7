/**
 * Names of the platform that Linux does not take, under names that it does.
 *
 * A file, folder or object is shown by its own name whenever that can be. Otherwise it is shown as `svc~` followed by
 * its name, with NUL, `/` and `%` percent-encoded:
 *
 *   an object key ending in `/`            svc~
 *   a level without a name (`a//b`)        svc~%2F
 *   a folder named `..`                    svc~..
 *   a name that itself begins with `svc~`  svc~svc~…
 *   a name that the mount uses itself      svc~.svcfs
 *   prefix `a/` beside an object `a`       svc~a%2F     (the object keeps the plain name)
 *
 * A prefix of a volume is written with its `/`, so that object and prefix of one name differ. A name that would be
 * longer than 255 bytes keeps its beginning and ends in `%~` and 128 bits of its SHA-256. A name with half of a
 * surrogate pair, which has no bytes of its own, does too. Such a name is found again among the names of its directory;
 * all others can be computed back.
 */
import { createHash } from 'node:crypto';
import { FILE_NAME_LENGTH_MAX } from '../../contract/limits.ts';
import { keptFolderName, reservedNameOf } from '../../jobs/reserved-folders.ts';

const MARK = 'svc~';
/** The directory in every folder that holds what the mount adds. */
export const ANNEX = '.svcfs';
/** `%~` and 32 hexadecimal digits. */
const DIGEST_BYTES = 34;
/** NAME_MAX of Linux. */
const NAME_MAX = 255;
/** Half of a surrogate pair, alone: UTF-8 has no bytes for it. */
const HALF_PAIRS = /\p{Surrogate}/gu;

/** The shown form of an entry's name; a prefix of a volume is given without its last `/`. */
export function shownName(name: string, kind: 'entry' | 'prefix'): string {
  if (canBeShown(name)) return name;
  return escapedName(name, kind);
}

/** The escaped form, needed or not: for a prefix whose plain name an object has taken. */
export function escapedName(name: string, kind: 'entry' | 'prefix'): string {
  const encoded = MARK + encode(kind === 'prefix' ? `${name}/` : name);
  return byteLength(encoded) <= NAME_MAX && isWellFormed(encoded) ? encoded : withDigest(encoded);
}

/** The meaning of a name that a caller looks up. */
export type Meaning =
  | { readonly kind: 'plain'; readonly name: string }
  | { readonly kind: 'escaped-entry'; readonly name: string }
  /** Shown like this only if the prefix's plain name cannot be, or is taken by an object. */
  | { readonly kind: 'escaped-prefix'; readonly name: string }
  /** Only a search among the directory's names tells. */
  | { readonly kind: 'digest' }
  /** No name is ever shown like this. */
  | { readonly kind: 'nothing' };

export function meaningOf(shown: string): Meaning {
  if (shown === ANNEX) return { kind: 'nothing' };
  if (!shown.startsWith(MARK)) return { kind: 'plain', name: shown };
  if (/%~[0-9a-f]{32}$/.test(shown)) return { kind: 'digest' };
  const encoded = shown.slice(MARK.length);
  if (/%(?!00|25|2F)/.test(encoded)) return { kind: 'nothing' };
  const decoded = encoded.replace(/%(00|25|2F)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const slash = decoded.indexOf('/');
  if (slash < 0) {
    return canBeShown(decoded) ? { kind: 'nothing' } : { kind: 'escaped-entry', name: decoded };
  }
  if (slash === decoded.length - 1) return { kind: 'escaped-prefix', name: decoded.slice(0, -1) };
  return { kind: 'nothing' };
}

/**
 * The platform's name, present or future, of an entry that is shown like this. A shown name that stands for nothing, or
 * only for one among the names of a directory, is taken as it is: nothing new can be made under it.
 */
export function nameOnPlatform(shown: string): string {
  const meaning = meaningOf(shown);
  return meaning.kind === 'escaped-entry' ? meaning.name : shown;
}

/** Whether an entry made under this name would be shown under it. */
export function canBeGiven(shown: string): boolean {
  const { kind } = meaningOf(shown);
  return kind === 'plain' || kind === 'escaped-entry';
}

/** As `shownName`, of a folder of a project, where nothing beside it has the name of the platform that it stands for. */
export function shownFolderName(name: string): string {
  return reservedNameOf({ kind: 'folder', name }) ?? shownName(name, 'entry');
}

/** As `nameOnPlatform`, of a folder of a project. */
export function folderNameOnPlatform(shown: string): string {
  return keptFolderName(nameOnPlatform(shown));
}

/** As `canBeGiven`, of a folder of a project: the platform is to take it, and it is to be shown under it. */
export function canBeGivenToFolder(shown: string): boolean {
  if (!canBeGiven(shown)) return false;
  const name = folderNameOnPlatform(shown);
  return name.length <= FILE_NAME_LENGTH_MAX && shownFolderName(name) === shown;
}

/** Whether a name needs no escape. */
export function canBeShown(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    name !== ANNEX &&
    !/[\0/]/.test(name) &&
    !name.startsWith(MARK) &&
    byteLength(name) <= NAME_MAX &&
    isWellFormed(name)
  );
}

function encode(text: string): string {
  return text.replace(/[%\0/]/g, (character) => `%${hex(character.charCodeAt(0))}`);
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(2, '0');
}

function withDigest(encoded: string): string {
  let head = '';
  let bytes = 0;
  for (const character of encoded.replace(HALF_PAIRS, '\ufffd')) {
    bytes += byteLength(character);
    if (bytes > NAME_MAX - DIGEST_BYTES) break;
    head += character;
  }
  // As UTF-8, all halves of pairs would be the same.
  const encoding = isWellFormed(encoded) ? 'utf8' : 'utf16le';
  const digest = createHash('sha256').update(encoded, encoding).digest('hex').slice(0, 32);
  return `${head}%~${digest}`;
}

export function isWellFormed(text: string): boolean {
  return text.search(HALF_PAIRS) < 0;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
