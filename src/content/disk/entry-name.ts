import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';

/**
 * The names of an entry's files, all in one of 256 folders:
 *
 *   <name>.index              names the entry; there is one
 *   <name>.<birth>.data       the blocks; the index says which birth is its own
 *   <name>.<birth>.new        an index in the making
 *
 * `name` is a hash of what the bytes are, `birth` is random.
 */
export interface EntryFile {
  readonly name: string;
  readonly kind: 'index' | 'data' | 'new';
  /** Of `data` and `new`. */
  readonly birth: string | undefined;
}

const FILE_NAME = /^([0-9a-f]{64})(?:\.([0-9a-f]{16}))?\.(index|data|new)$/;

/** For bytes of which `identity` tells everything. */
export function entryName(identity: string): string {
  return createHash('sha256').update(identity).digest('hex');
}

export function newBirth(): string {
  return randomBytes(8).toString('hex');
}

export function folderOf(directory: string, name: string): string {
  return join(directory, 'entries', name.slice(0, 2));
}

export function indexPath(directory: string, name: string): string {
  return join(folderOf(directory, name), `${name}.index`);
}

export function dataPath(directory: string, name: string, birth: string): string {
  return join(folderOf(directory, name), `${name}.${birth}.data`);
}

export function newIndexPath(directory: string, name: string, birth: string): string {
  return join(folderOf(directory, name), `${name}.${birth}.new`);
}

/** Undefined: not one of ours. */
export function parseFileName(file: string): EntryFile | undefined {
  const [, name, birth, kind] = FILE_NAME.exec(file) ?? [];
  if (name === undefined || (kind === 'index') !== (birth === undefined)) return undefined;
  return { name, kind: kind as EntryFile['kind'], birth };
}
