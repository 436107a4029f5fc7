import { TRASH } from '../../places/trash-folder.ts';
import type { Node } from './node.ts';

/**
 * Whether a directory does not list an entry, which can be looked up all the same: the mount's own `.svcfs`, and the trash of
 * a project. A walk, `rsync --delete` and a backup are to leave them alone, also in a mount that has no trash itself.
 */
export function isHidden(node: Node): boolean {
  if (node.kind === 'virtual-directory') return node.source.isHidden === true;
  const { kind, name, parent } = node;
  const isInRoot = parent?.kind === 'project-folder' && parent.record === undefined;
  return isInRoot && kind === 'project-folder' && name === TRASH;
}
