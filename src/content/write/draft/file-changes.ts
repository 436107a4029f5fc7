import { isDeepStrictEqual } from 'node:util';
import type { Api } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../ports.ts';

/** Annotations as one edit of the file. */
export function fileChanges({ metadata, tags }: Annotations): {
  metadata: Annotations['metadata'];
  tags?: readonly string[];
} {
  return { metadata, ...(tags !== undefined && { tags }) };
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

/** The file, with all of these: one edit, unless it has them. */
export async function annotated(
  { files }: Api,
  file: FileRecord,
  annotations: Annotations,
  signal: AbortSignal,
): Promise<FileRecord> {
  if (hasAll(file, annotations)) return file;
  return files.edit(file.id, fileChanges(annotations), { signal, priority: 'data' });
}

/** Whether an edit would change nothing. */
function hasAll(file: FileRecord, { metadata, tags }: Annotations): boolean {
  const pairs = Object.entries(metadata).every(([key, value]) => file.metadata[key] === value);
  return pairs && (tags === undefined || isDeepStrictEqual(file.tags, tags));
}
