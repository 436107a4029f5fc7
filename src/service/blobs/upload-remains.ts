import { join } from 'node:path';
import { entriesOf, removeUnchanged } from '../../lib/remove-unchanged.ts';

/**
 * Removes from a directory of uploads what nobody will come back to: directories of uploads that are no longer active, and
 * hidden files, which are bytes that were on their way when their process ended.
 */
export async function removeUploadRemains(
  uploads: string,
  before: number,
  isActive: (key: string) => boolean,
): Promise<number> {
  let removed = 0;
  for (const entry of await entriesOf(uploads)) {
    const path = join(uploads, entry.name);
    if (entry.isDirectory() && isActive(entry.name)) removed += await removeBrokenParts(path, before);
    else removed += await removeUnchanged(path, before);
  }
  return removed;
}

/** Below the directory of an upload there is one for each part. */
async function removeBrokenParts(upload: string, before: number): Promise<number> {
  let removed = 0;
  for (const part of await entriesOf(upload)) {
    if (!part.isDirectory()) continue;
    const directory = join(upload, part.name);
    for (const { name } of await entriesOf(directory)) {
      if (name.startsWith('.')) removed += await removeUnchanged(join(directory, name), before);
    }
  }
  return removed;
}
