/**
 * The attributes that a file inherits from the one whose name it takes: chosen and given before the rename, and taken
 * back when that fails.
 */

import { isDeepStrictEqual } from 'node:util';
import type { FilesApi } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';
import { LINK_PAIR } from '../../../jobs/symbolic-link.ts';
import { isReservedKey, userPairs } from '../../../metadata/own-pairs.ts';
import { withoutContentPairs } from '../../attributes/annotations.ts';
import { fits, withinLimit } from '../../attributes/pairs-that-fit.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import { requireCount } from '../../xattr/limits.ts';

export const NOTHING: Annotations = { metadata: {}, tags: undefined };

/** The metadata and tags of a file. */
export interface Described {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

/** The pairs and tags of `target`'s name on the platform (`record`), with the changes made here that are not sent yet. */
export function describedAs({ pending }: ProjectFileNode, record: FileRecord | undefined): Described {
  return {
    metadata: { ...record?.metadata, ...pending?.metadata },
    tags: pending?.tags ?? record?.tags ?? [],
  };
}

/**
 * The annotations that a file inherits from the one whose name it takes. Editors, `sed -i` and `rsync` write a new file
 * and rename it over the old. Without this the file would lose its metadata at every edit. The new file's own annotations
 * come first. Those that describe the old content are left out.
 */
export function carriedOver(from: Described, to: Described): Annotations {
  // A link is no version of a file, and tells nothing of one.
  if (isOfLink(from) || isOfLink(to)) return NOTHING;
  const metadata = Object.fromEntries(
    Object.entries(withoutContentPairs(userPairs(from.metadata))).filter(
      ([key]) => !Object.hasOwn(to.metadata, key),
    ),
  );
  const tags = to.tags.length === 0 && from.tags.length > 0 ? from.tags : undefined;
  return { metadata, tags };
}

function isOfLink({ metadata }: Described): boolean {
  return Object.hasOwn(metadata, LINK_PAIR);
}

export function isNothing({ metadata, tags }: Annotations): boolean {
  return Object.keys(metadata).length === 0 && !tags;
}

/** Gives a file what it inherits. */
export async function inherit(
  { api }: Tree,
  file: FileRecord,
  { metadata, tags }: Annotations,
): Promise<FileRecord> {
  if (isNothing({ metadata, tags })) return file;
  return api.files.edit(file.id, { metadata, ...(tags && { tags }) });
}

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
