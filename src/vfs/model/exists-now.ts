import type { DirectoryNode } from './node.ts';

/** Directories that mkdir(2) made here are on the volume with their first object. */
export function existsNow(directory: DirectoryNode | undefined): void {
  for (let at = directory; at?.kind === 'volume-directory'; at = at.parent) at.local = false;
}
