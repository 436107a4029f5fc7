import { isLocalOnly } from '../../model/identity.ts';
import type { DirectoryNode } from '../../model/node.ts';

/**
 * The last object of a level was taken away: on the volume the level is gone with it. Here it stays until rmdir(2), as a
 * directory does, and so do those above it.
 */
export function keepLevel(directory: DirectoryNode | undefined): void {
  for (let at = directory; at?.kind === 'volume-directory' && at.prefix !== ''; at = at.parent) {
    if (![...at.children.nodes()].every(isLocalOnly)) return;
    at.local = true;
  }
}
