import { isDeepStrictEqual } from 'node:util';
import type { Api, FilesApi } from '../../../api/api.ts';
import type { CallOptions } from '../../../api/call-options.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../ports.ts';

/** Changes to a file whose bytes are on the service. */
export interface FileChanges {
  readonly annotations: Annotations | undefined;
  /** Keys of pairs that it is not to have. */
  readonly dropped: readonly string[];
}

/** With these pairs as well. */
export function withMetadata(
  annotations: Annotations | undefined,
  more: Annotations['metadata'],
): Annotations | undefined {
  if (Object.keys(more).length === 0) return annotations;
  return { metadata: { ...annotations?.metadata, ...more }, tags: annotations?.tags };
}

/** Without these pairs, where they are as here. */
export function withoutMetadata(
  annotations: Annotations | undefined,
  pairs: Annotations['metadata'],
): Annotations | undefined {
  if (annotations === undefined || Object.keys(pairs).length === 0) return annotations;
  const others = Object.entries(annotations.metadata).filter(([key, value]) => pairs[key] !== value);
  if (others.length === 0 && annotations.tags === undefined) return undefined;
  return { metadata: Object.fromEntries(others), tags: annotations.tags };
}

/** The file, changed: by one call, or none if it is so already, and by two more if it has pairs that it is not to have. */
export async function changed(
  { files }: Api,
  file: FileRecord,
  { annotations, dropped }: FileChanges,
  options: CallOptions,
): Promise<FileRecord> {
  const left = dropped.filter((key) => Object.hasOwn(file.metadata, key));
  const kept =
    left.length === 0 ? file : { ...file, metadata: await withoutPairs(files, file.id, left, options) };
  if (annotations === undefined || hasAll(kept, annotations)) return kept;
  return files.edit(file.id, editOf(annotations), options);
}

/** As `changed`, of a file of which only the id is known. */
export async function change(
  { files }: Api,
  id: string,
  { annotations, dropped }: FileChanges,
  options: CallOptions,
): Promise<void> {
  if (dropped.length > 0) await withoutPairs(files, id, dropped, options);
  if (annotations !== undefined) await files.edit(id, editOf(annotations), options);
}

function editOf({ metadata, tags }: Annotations): Parameters<FilesApi['edit']>[1] {
  return { metadata, ...(tags !== undefined && { tags }) };
}

/**
 * No call removes a pair. Pairs that another client sets meanwhile are kept, except in the moment between the two calls.
 */
async function withoutPairs(
  files: FilesApi,
  id: string,
  keys: readonly string[],
  options: CallOptions,
): Promise<Annotations['metadata']> {
  const current = await files.get(id, options);
  const pairs = Object.entries(current.kind === 'file' ? current.metadata : {});
  return files.putMetadata(id, Object.fromEntries(pairs.filter(([key]) => !keys.includes(key))), options);
}

/** Whether an edit would change nothing. */
function hasAll(file: FileRecord, { metadata, tags }: Annotations): boolean {
  const pairs = Object.entries(metadata).every(([key, value]) => file.metadata[key] === value);
  return pairs && (tags === undefined || isDeepStrictEqual(file.tags, tags));
}
