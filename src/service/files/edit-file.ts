import type { EditFileBody, FileMetadata, MetadataBody } from '../../contract/file.ts';
import { TAG_BYTES_MAX, TAGS_MAX } from '../../contract/limits.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand } from '../members/members.ts';
import { isStorableText } from '../store/storable-text.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { type AccessibleFile, fileFor, fileWith } from './file-access.ts';
import { checkMerged, checkMetadata } from './metadata.ts';
import { checkFileName } from './names.ts';
import { freeName } from './place-file.ts';
import { type FileRow, filesIn } from './tables/file-table.ts';

export interface FileEdit extends EditFileBody {
  /** A file of the new name gives way (capability `rename_overwrite`). */
  readonly overwrite?: boolean;
  /** Erases fields that are not given, where an edit leaves them; the name always stays. */
  readonly replace?: boolean;
}

/**
 * Changes name, metadata and tags together or not at all. `modified_on` is the time of the content and stays.
 *
 * @throws ServiceError 5002, 5023 folder, 5008, 5024, 5003, 5009, 5006, 5011
 */
export async function editFile(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  edit: { readonly id: string; readonly changes: FileEdit },
): Promise<FileRow> {
  const { name, metadata, tags, overwrite = false, replace = false } = edit.changes;
  const { file, permissions } = await fileFor(store, caller, edit.id);
  if (file.kind === 'folder') throw new ServiceError(5023);
  const newName = name === undefined ? undefined : checkFileName(name, 5024);
  const newPairs = metadata || replace ? checkMetadata(metadata ?? {}) : undefined;
  const newTags = tags || replace ? checkTags(tags ?? []) : undefined;
  if (newName !== undefined) demand(permissions, 'write', 5008);
  if (newPairs !== undefined) demandCreator({ file, permissions }, caller);
  if (newTags !== undefined) demand(permissions, 'write', 5011);
  return store.transaction(async (tx) => {
    const present = await filesIn(tx).find(file.id);
    if (present === undefined) throw new ServiceError(5002);
    if (newName !== undefined) {
      const place = { parentId: present.parent_id ?? '', name: newName, overwrite, taken: 5003 as const };
      await freeName(tx, place, { now: storedTime(clock.now()), own: file.id });
      await filesIn(tx).update(file.id, { name: newName });
    }
    if (newPairs !== undefined) await writePairs(tx, file.id, { pairs: newPairs, replace });
    if (newTags !== undefined) await filesIn(tx).replaceTags(file.id, newTags);
    return { ...present, name: newName ?? present.name };
  });
}

/**
 * @param change `merge` leaves the pairs that are not given, `replace` resets them.
 * @returns All metadata after the change. @throws ServiceError 5002, 5025 folder, 5009, 5006
 */
export async function editMetadata(
  { store }: HasStore,
  caller: Caller,
  edit: { readonly id: string; readonly body: MetadataBody; readonly change: 'merge' | 'replace' },
): Promise<FileMetadata> {
  const { file, permissions } = await fileFor(store, caller, edit.id);
  if (file.kind === 'folder') throw new ServiceError(5025);
  demandCreator({ file, permissions }, caller);
  const pairs = checkMetadata(edit.body);
  return store.transaction(async (tx) => {
    if ((await filesIn(tx).find(file.id)) === undefined) throw new ServiceError(5002);
    await writePairs(tx, file.id, { pairs, replace: edit.change === 'replace' });
    return filesIn(tx).metadata(file.id);
  });
}

async function writePairs(
  tx: Store,
  fileId: string,
  change: { readonly pairs: FileMetadata; readonly replace: boolean },
): Promise<void> {
  if (change.replace) return filesIn(tx).replaceMetadata(fileId, change.pairs);
  checkMerged(await filesIn(tx).metadata(fileId), change.pairs);
  return filesIn(tx).mergeMetadata(fileId, change.pairs);
}

/** @throws ServiceError 5002, 5027 folder, 5011 */
export async function replaceTags(
  { store }: HasStore,
  caller: Caller,
  edit: { readonly id: string; readonly tags: readonly string[] },
): Promise<string[]> {
  const file = await fileWith(store, caller, { id: edit.id, permission: 'write', refusal: 5011 });
  if (file.kind === 'folder') throw new ServiceError(5027);
  const tags = checkTags(edit.tags);
  await store.transaction(async (tx) => {
    if ((await filesIn(tx).find(file.id)) === undefined) throw new ServiceError(5002);
    await filesIn(tx).replaceTags(file.id, tags);
  });
  return tags;
}

/** Metadata belong to the user who uploaded, imported, copied or computed the file. */
function demandCreator({ file, permissions }: AccessibleFile, caller: Caller): void {
  demand(permissions, 'write', 5009);
  if (file.created_by !== caller.username) {
    throw new ServiceError(5009, `Only ${file.created_by}, who made this file, may edit its metadata.`);
  }
}

/** Without repetitions, in the order given. @throws ServiceError 90000 */
export function checkTags(tags: readonly string[]): string[] {
  const unique = [...new Set(tags)];
  if (unique.length > TAGS_MAX) throw new ServiceError(90000, `A file has at most ${TAGS_MAX} tags.`);
  for (const tag of unique) {
    if (tag === '' || !isStorableText(tag) || Buffer.byteLength(tag) > TAG_BYTES_MAX) {
      throw new ServiceError(90000, `A tag is 1 to ${TAG_BYTES_MAX} bytes of valid Unicode text.`);
    }
  }
  return unique;
}
