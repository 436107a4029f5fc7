/**
 * The facts that a directory cannot keep about an object: its etag, content type, storage class and writer.
 *
 * A note belongs to one file, not to a key. Its name has the inode, size and mtime of the file it is about, in a
 * directory that stands for the key. The note is written, durably, before the put gives the file its name. So the file
 * that is there finds its own note, whatever the moment of a crash, and however many puts run at once.
 *
 * A file that a person put or changed finds no note, which is how it is recognised. In a bucket copied with its times
 * inodes differ: then size and mtime are enough.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../lib/sync.ts';
import { DEFAULT_CONTENT_TYPE, DEFAULT_STORAGE_CLASS, type PutOptions } from '../objects/bucket.ts';
import { makeDirectory } from '../objects/durable-file.ts';
import { NOTES_DIRECTORY } from './key-path.ts';

export interface ObjectNote {
  readonly etag: string;
  readonly updatedMs: number;
  readonly contentType: string;
  readonly storageClass: string;
  readonly writer?: string | undefined;
}

/** The note for an object that is being put. */
export function noteOf(written: Pick<ObjectNote, 'etag' | 'updatedMs'>, options: PutOptions): ObjectNote {
  return {
    ...written,
    contentType: options.contentType ?? DEFAULT_CONTENT_TYPE,
    storageClass: options.storageClass ?? DEFAULT_STORAGE_CLASS,
    ...(options.writer === undefined ? {} : { writer: options.writer }),
  };
}

export async function readNote(
  root: string,
  key: string,
  file: BigIntStats,
): Promise<ObjectNote | undefined> {
  const directory = directoryOf(root, key);
  const own = await parseNote(join(directory, nameOf(file)));
  if (own !== undefined) return own;
  const copied = (await readdir(directory).catch(absentAsEmpty)).find((name) =>
    name.endsWith(versionOf(file)),
  );
  return copied === undefined ? undefined : parseNote(join(directory, copied));
}

export async function writeNote(
  root: string,
  key: string,
  file: BigIntStats,
  note: ObjectNote,
): Promise<void> {
  const directory = directoryOf(root, key);
  await makeDirectory(directory);
  const temporary = join(directory, randomUUID());
  await writeFile(temporary, JSON.stringify(note), { flush: true });
  await rename(temporary, join(directory, nameOf(file)));
  await syncDirectory(directory);
}

/** To be called once no key names the file any more. */
export async function removeNote(root: string, key: string, file: BigIntStats): Promise<void> {
  await rm(join(directoryOf(root, key), nameOf(file)), { force: true });
}

async function parseNote(path: string): Promise<ObjectNote | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ObjectNote;
  } catch (error) {
    // A damaged note is worth as much as none: the object is then described by its file.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function absentAsEmpty(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

function nameOf(file: BigIntStats): string {
  return `${file.ino}${versionOf(file)}`;
}

function versionOf(file: BigIntStats): string {
  return `-${file.size}-${file.mtimeNs}.json`;
}

/** By hash: a key's last segment may be as long as a file name can be, and leaves no room for more. */
function directoryOf(root: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex');
  return join(root, NOTES_DIRECTORY, 'notes', hash.slice(0, 2), hash.slice(2));
}
