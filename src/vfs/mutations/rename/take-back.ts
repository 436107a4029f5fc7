import { isDeepStrictEqual } from 'node:util';
import type { FilesApi } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';

/**
 * Takes from a file what it was given for a rename that failed, as far as it still has that: what others set meanwhile
 * stays. No call removes a pair: what is set between the two requests that this takes is lost.
 */
export async function takeBack(files: FilesApi, before: FileRecord, given: Annotations): Promise<void> {
  const now = await files.get(before.id);
  if (now.kind !== 'file') return;
  const isOurs = (key: string): boolean =>
    Object.hasOwn(given.metadata, key) && now.metadata[key] === given.metadata[key];
  const others = Object.entries(now.metadata).filter(([key]) => !isOurs(key));
  const old = Object.entries(before.metadata).filter(([key]) => isOurs(key));
  await files.putMetadata(before.id, Object.fromEntries([...others, ...old]));
  if (given.tags && isDeepStrictEqual(now.tags, given.tags)) await files.putTags(before.id, before.tags);
}
