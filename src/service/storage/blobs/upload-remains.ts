import { join } from 'node:path';
import { entriesOf } from '../../../lib/remove-unchanged.ts';
import { type Remains, remainsAt } from '../objects/remains.ts';

/**
 * The remains in a directory of uploads that no process will use again. These are directories of uploads that are no
 * longer active, and hidden files, whose bytes were on their way when their process ended.
 */
export async function* uploadRemains(
  uploads: string,
  before: number,
  isActive: (key: string) => boolean,
): AsyncGenerator<Remains> {
  for (const entry of await entriesOf(uploads)) {
    const path = join(uploads, entry.name);
    if (entry.isDirectory() && isActive(entry.name)) yield* brokenParts(path, before);
    else yield remainsAt(path, before);
  }
}

/** Below the directory of an upload there is one for each part. */
async function* brokenParts(upload: string, before: number): AsyncGenerator<Remains> {
  for (const part of await entriesOf(upload)) {
    if (!part.isDirectory()) continue;
    const directory = join(upload, part.name);
    for (const { name } of await entriesOf(directory))
      if (name.startsWith('.')) yield remainsAt(join(directory, name), before);
  }
}
