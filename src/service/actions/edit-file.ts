import type { EditFileBody, FileMetadata, MetadataBody } from '../../contract/file.ts';
import { storedTime } from '../api-time.ts';
import type { Caller } from '../caller.ts';
import { checkMetadata, mergeMetadata } from '../rules/metadata.ts';
import { checkFileName } from '../rules/names.ts';
import { demand } from '../rules/permissions.ts';
import { checkTags } from '../rules/tags.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { FileRow } from '../store/files.ts';
import { fileFor, fileWith } from './file-access.ts';
import { freeName } from './place-file.ts';

export interface FileEdit extends EditFileBody {
  /** A file of the new name gives way (capability `rename_overwrite`). */
  readonly overwrite?: boolean;
  /** What is not given is erased, where an edit leaves it; the name always stays. */
  readonly replace?: boolean;
}

/**
 * Changes name, metadata and tags together or not at all. `modified_on` is the time of the content and stays.
 *
 * @throws ServiceError 5002, 5023 folder, 5008, 5024, 5003, 5009, 5006, 5011
 */
export async function editFile(
  { store, clock }: Services,
  caller: Caller,
  edit: { readonly id: string; readonly changes: FileEdit },
): Promise<FileRow> {
  const { name, metadata, tags, overwrite = false, replace = false } = edit.changes;
  const { file, permissions } = await fileFor(store, caller, edit.id);
  if (file.kind === 'folder') throw new ServiceError(5023);
  const newName = name === undefined ? file.name : checkFileName(name, 5024);
  if (newName !== file.name || (!metadata && !tags)) demand(permissions, 'write', 5008);
  const newPairs = metadata || replace ? checkMetadata(metadata ?? {}) : undefined;
  if (newPairs !== undefined) demandCreator(file, caller);
  const newTags = tags || replace ? checkTags(tags ?? []) : undefined;
  if (newTags !== undefined) demand(permissions, 'write', 5011);
  await store.transaction(async (tx) => {
    if (newName !== file.name) {
      const place = { parentId: file.parent_id ?? '', name: newName, overwrite, taken: 5003 as const };
      await freeName(tx, place, { now: storedTime(clock.now()), own: file.id });
      await tx.files.update(file.id, { name: newName });
    }
    if (newPairs !== undefined) {
      const present = replace ? {} : await tx.files.metadata(file.id);
      await tx.files.replaceMetadata(file.id, mergeMetadata(present, newPairs));
    }
    if (newTags !== undefined) await tx.files.replaceTags(file.id, newTags);
  });
  return { ...file, name: newName };
}

/**
 * @param change `merge` leaves the pairs that are not given, `replace` resets them.
 * @returns All metadata after the change. @throws ServiceError 5002, 5025 folder, 5009, 5006
 */
export async function editMetadata(
  { store }: Services,
  caller: Caller,
  edit: { readonly id: string; readonly body: MetadataBody; readonly change: 'merge' | 'replace' },
): Promise<FileMetadata> {
  const { file } = await fileFor(store, caller, edit.id);
  if (file.kind === 'folder') throw new ServiceError(5025);
  demandCreator(file, caller);
  const pairs = checkMetadata(edit.body);
  return store.transaction(async (tx) => {
    if (edit.change === 'replace') await tx.files.replaceMetadata(file.id, pairs);
    else {
      mergeMetadata(await tx.files.metadata(file.id), pairs);
      await tx.files.mergeMetadata(file.id, pairs);
    }
    return tx.files.metadata(file.id);
  });
}

/** @throws ServiceError 5002, 5027 folder, 5011 */
export async function replaceTags(
  { store }: Services,
  caller: Caller,
  edit: { readonly id: string; readonly tags: readonly string[] },
): Promise<string[]> {
  const file = await fileWith(store, caller, { id: edit.id, permission: 'write', refusal: 5011 });
  if (file.kind === 'folder') throw new ServiceError(5027);
  const tags = checkTags(edit.tags);
  await store.transaction((tx) => tx.files.replaceTags(file.id, tags));
  return tags;
}

/** Metadata belongs to whoever uploaded, imported, copied or computed the file. */
function demandCreator(file: FileRow, caller: Caller): void {
  if (file.created_by !== caller.username) {
    throw new ServiceError(5009, `Only ${file.created_by}, who made this file, may edit its metadata.`);
  }
}
