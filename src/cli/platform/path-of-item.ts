import { join } from 'node:path';
import { inquire } from '../mount/inquire.ts';
import { type ItemTree, KINDS } from './find-item.ts';
import type { Reached } from './reach-platform.ts';

/** The directory of a project or volume in the mount that reached it, where that shows it; else as commands write it. */
export async function pathOfItem({ mount }: Reached, tree: ItemTree, id: string): Promise<string> {
  if (mount !== undefined) {
    const path = `/${tree}/${id}`;
    const [place] = (await inquire(mount, { request: 'places', paths: [path] })).places;
    const isShown =
      place?.kind === 'folder' ? place.project === id : place?.kind === 'prefix' && place.volume === id;
    if (isShown) return join(mount.mountPoint, path);
  }
  return `${KINDS[tree].scheme}${id}`;
}
