import { isLocalOnly } from '../../model/identity.ts';
import type { DirectoryNode } from '../../model/node.ts';
import { isDirectory, isFolder } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

/** Asks anew about a name and everything below it. An entry that exists only here, or is being written, keeps its place. */
export function askAgain(tree: Tree, directory: DirectoryNode, name: string): void {
  const known = directory.children.get(name);
  if (known?.kind !== 'present') {
    tree.invalidate(directory, name);
    return;
  }
  tree.doubt(known.node);
  if (isDirectory(known.node)) expireAll(tree, known.node);
}

/** As `askAgain` after a rename that succeeded: the kernel believes that one of its names became the other. */
export function askAgainAsMoved(tree: Tree, directory: DirectoryNode, name: string): void {
  const known = directory.children.get(name);
  const node = known?.kind === 'present' ? known.node : undefined;
  if (node && isFolder(node)) tree.renew(node);
  else if (node && isLocalOnly(node)) tree.doubt(node);
  else tree.invalidate(directory, name);
}

function expireAll(tree: Tree, directory: DirectoryNode): void {
  tree.expire(directory);
  for (const child of directory.children.nodes()) if (isDirectory(child)) expireAll(tree, child);
}
