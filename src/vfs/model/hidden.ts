import { TRASH } from '../../places/trash-folder.ts';
import type { Node } from './node.ts';

/**
 * Whether a directory does not list an entry, which can be looked up all the same: the trash of a project. A walk, `rsync
 * --delete` and a backup are to leave that alone, also in a mount that has no trash itself.
 */
export function isHidden({ kind, name, parent }: Node): boolean {
  const isInRoot = parent?.kind === 'project-folder' && parent.record === undefined;
  return isInRoot && kind === 'project-folder' && name === TRASH;
}
