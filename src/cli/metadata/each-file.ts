import { filesAt } from '../../places/list-files.ts';
import type { FilePlace } from '../../places/places.ts';
import { describePath } from '../../places/platform-path.ts';
import type { PathFailures } from '../mount/path-failures.ts';
import { type Context, findPlaces } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';

/** A file that a command is about, under the path that a person knows it by. */
export interface NamedFile extends FilePlace {
  readonly path: string;
}

/** Does `work` with the files at paths, once for each platform. Folders mean the files below, if `recursive` says so. */
export async function withFiles(
  paths: readonly string[],
  { recursive, ...context }: Context & { readonly recursive: boolean },
  work: (files: readonly NamedFile[], platform: Platform) => Promise<void>,
): Promise<PathFailures> {
  const { groups, failures } = await findPlaces(paths, context);
  try {
    for (const { platform, places } of groups) {
      const files = new Map<string, NamedFile>();
      const asking = { api: platform.api, signal: context.signal, recursive };
      for (const { given, place } of places) {
        if (place.kind === 'folder' && !recursive) {
          failures.add(given, new Error('a folder, which has no metadata; -r means the files below it'));
          continue;
        }
        for (const file of await filesAt(place, asking).catch(explained(platform)))
          files.set(file.file.id, { ...file, path: place.kind === 'file' ? given : describePath(file) });
      }
      if (files.size > 0) await work([...files.values()], platform).catch(explained(platform));
    }
  } finally {
    await Promise.all(groups.map(({ platform }) => platform.close()));
  }
  return failures;
}

function explained(platform: Platform): (error: unknown) => never {
  return (error) => {
    throw platform.explain(error) ?? error;
  };
}
