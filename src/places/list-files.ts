import type { EntryRecord } from '../api/model.ts';
import { PAGE_LIMIT_MAX } from '../contract/limits.ts';
import { collect, pagesInOrder } from '../lib/pages-in-order.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { type Asking, PRIORITY } from './asking.ts';
import { type FilePlace, type FolderPlace, type Place, placeIn } from './places.ts';
import { describePath } from './platform-path.ts';
import { withoutTrash } from './trash-folder.ts';

/** Folders listed side by side. */
const FOLDERS_AT_ONCE = 4;

/** More files than the caller wants to wait for. */
export class TooManyFilesError extends Error {
  override readonly name = 'TooManyFilesError';
}

/** The entries of a folder, by name: as many requests as it has pages. */
export function listFolder(folder: FolderPlace, { api, signal }: Asking): Promise<readonly EntryRecord[]> {
  const pages = pagesInOrder<EntryRecord>(
    (page, pageSignal) => api.files.list(folder.id, page, { signal: pageSignal, priority: PRIORITY }),
    { what: describePath(folder), limit: PAGE_LIMIT_MAX, signal },
  );
  return collect(pages);
}

/** The files of a folder, or of all folders below it as well. A file is itself. */
export async function filesAt(
  place: Place,
  {
    recursive,
    filesMost = Number.POSITIVE_INFINITY,
    ...asking
  }: Asking & { readonly recursive: boolean; readonly filesMost?: number | undefined },
): Promise<readonly FilePlace[]> {
  if (place.kind === 'file') return [place];
  let count = 0;
  const room = new Semaphore(FOLDERS_AT_ONCE);
  const walk = async (folder: FolderPlace): Promise<readonly FilePlace[]> => {
    const entries = await room.run(() => listFolder(folder, asking), asking.signal);
    const places = withoutTrash(
      folder,
      entries.map((entry) => placeIn(folder, entry)),
    );
    const files = places.filter((each) => each.kind === 'file');
    count += files.length;
    if (count > filesMost)
      throw new TooManyFilesError(`more than ${filesMost} files would have to be looked at`);
    if (!recursive) return files;
    const folders = places.filter((each) => each.kind === 'folder');
    const below = await Promise.all(folders.map(walk));
    return [...files, ...below.flat()];
  };
  return walk(place);
}
