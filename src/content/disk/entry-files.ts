/**
 * How processes that share a cache directory make and find entries without locks. An entry is there when its index has
 * its name: link(2) gives it to one of all who make the same entry at once, and the others take that one's. The index
 * tells which data file is its own, so that no index is ever used with the blocks of another. Eviction takes the
 * name away first (`cache-space.ts`).
 */
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, rm, unlink } from 'node:fs/promises';
import { errorCode } from '../../lib/error-code.ts';
import { DISK_BLOCK_BYTES } from './block-io.ts';
import { encodeHeader, readHeader } from './entry-header.ts';
import { dataPath, folderOf, indexPath, newBirth, newIndexPath } from './entry-name.ts';
import { indexBytes } from './entry-size.ts';

/** An entry, and its place. */
export interface EntryPlace {
  readonly directory: string;
  readonly name: string;
  readonly sizeBytes: number;
}

export interface EntryFiles {
  readonly index: FileHandle;
  readonly data: FileHandle;
}

/** Someone else makes and evicts the same entry all the time: the cache does without it. */
const ATTEMPTS = 8;

/** Undefined: there is none. One that is damaged is removed. */
export async function openEntry(place: EntryPlace): Promise<EntryFiles | undefined> {
  const path = indexPath(place.directory, place.name);
  const index = await openIfThere(path);
  if (index === undefined) return undefined;
  const data = await openData(index, place).catch(async (error: unknown) => {
    await index.close();
    throw error;
  });
  if (data !== undefined) return { index, data };
  await index.close();
  await rm(path, { force: true });
  return undefined;
}

/** `bootId`: of the machine's run, as the header of a new one tells it. */
export async function openOrMakeEntry(place: EntryPlace, bootId: string): Promise<EntryFiles> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const there = (await openEntry(place)) ?? (await makeEntry(place, bootId));
    if (there !== undefined) return there;
  }
  throw new Error(`the cache entry ${place.name} comes and goes`);
}

async function openData(index: FileHandle, place: EntryPlace): Promise<FileHandle | undefined> {
  const { directory, name, sizeBytes } = place;
  const header = await readHeader(index);
  if (header?.name !== name || header.sizeBytes !== sizeBytes) return undefined;
  const data = await openIfThere(dataPath(directory, name, header.birth));
  try {
    if (data !== undefined) await restoreSize(data, index, sizeBytes);
  } catch (error) {
    await data?.close();
    throw error;
  }
  return data;
}

/** The size is what the kernel sees of a file handed to it. Blocks that were cut off are not there any more. */
async function restoreSize(data: FileHandle, index: FileHandle, sizeBytes: number): Promise<void> {
  const { size } = await data.stat();
  if (size < sizeBytes) await index.truncate(indexBytes(Math.floor(size / DISK_BLOCK_BYTES)));
  if (size !== sizeBytes) await data.truncate(sizeBytes);
}

/** Undefined: someone else was first. */
async function makeEntry(place: EntryPlace, bootId: string): Promise<EntryFiles | undefined> {
  const { directory, name, sizeBytes } = place;
  const birth = newBirth();
  const paths = [newIndexPath(directory, name, birth), dataPath(directory, name, birth)] as const;
  await mkdir(folderOf(directory, name), { recursive: true, mode: 0o700 });
  const made: FileHandle[] = [];
  try {
    const index = await createFile(paths[0], made);
    const data = await createFile(paths[1], made);
    await index.writeFile(encodeHeader({ name, sizeBytes, birth, bootId }));
    await data.truncate(sizeBytes);
    await link(paths[0], indexPath(directory, name));
    await unlink(paths[0]);
    return { index, data };
  } catch (error) {
    for (const handle of made) await handle.close();
    for (const path of paths) await rm(path, { force: true });
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

async function createFile(path: string, made: FileHandle[]): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  made.push(handle);
  return handle;
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
