import { isDeepStrictEqual } from 'node:util';
import type { FilesApi } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';
import { fits, withinLimit } from '../../attributes/pairs-that-fit.ts';
import { isReservedKey } from '../../attributes/reserved-pairs.ts';
import type { Tree } from '../../model/tree.ts';
import { requireCount } from '../../xattr/limits.ts';
import { isNothing } from './carried-over.ts';

interface Gift {
  readonly file: FileRecord;
  readonly given: Annotations;
  readonly path: string;
}

/**
 * Gives a file what it is to have after `rename`, before anything is done that cannot be undone: it may be refused. Takes it
 * back when that fails.
 */
export async function giving<T>(
  tree: Tree,
  { file, given, path }: Gift,
  rename: () => Promise<T>,
): Promise<T> {
  if (isNothing(given)) return rename();
  const { files } = tree.api;
  const { parent, name } = await give(files, file, given);
  const before = { ...file, parent, name };
  try {
    return await rename();
  } catch (error) {
    // Why the rename failed is what its caller is told.
    await takeBack(files, before, given).catch((why: unknown) =>
      tree.recordError({ op: 'rename', path }, why),
    );
    throw error;
  }
}

/** In one request, or in two where pairs of our own have to give way. */
async function give(files: FilesApi, file: FileRecord, { metadata, tags }: Annotations): Promise<FileRecord> {
  const all = { ...file.metadata, ...metadata };
  requireCount(all);
  const changes = { ...(tags && { tags }) };
  if (fits(all)) return files.edit(file.id, { metadata, ...changes });
  await files.putMetadata(file.id, withinLimit(all));
  return files.edit(file.id, changes);
}

/**
 * Takes from a file what it was given for a rename that failed, as far as it still has that: what others set meanwhile
 * stays. A file that has another name by now was renamed though nobody heard of it, and who had these pairs may be gone. No
 * call removes a pair: what is set between the two requests that this takes is lost.
 */
async function takeBack(files: FilesApi, before: FileRecord, given: Annotations): Promise<void> {
  const now = await files.get(before.id);
  if (now.kind !== 'file' || now.parent !== before.parent || now.name !== before.name) return;
  const isOurs = (key: string): boolean =>
    Object.hasOwn(given.metadata, key) && now.metadata[key] === given.metadata[key];
  const others = Object.entries(now.metadata).filter(([key]) => !isOurs(key));
  const gaveWay = (key: string): boolean => isReservedKey(key) && !Object.hasOwn(now.metadata, key);
  const old = Object.entries(before.metadata).filter(([key]) => isOurs(key) || gaveWay(key));
  await files.putMetadata(before.id, Object.fromEntries([...others, ...old]));
  if (given.tags && isDeepStrictEqual(now.tags, given.tags)) await files.putTags(before.id, before.tags);
}
