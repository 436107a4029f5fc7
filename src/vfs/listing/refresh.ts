import type { Details } from '../directories/details.ts';
import { type DirectoryNode, isDirectory, type Node } from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';
import { askAnew } from './learn-items.ts';

interface Parts {
  readonly tree: Tree;
  readonly details: Pick<Details, 'forget'>;
}

/**
 * Forgets how fresh what is known at a path and below is, and asks for what is at the path now. Answers how many entries a
 * directory has; undefined for what is none.
 *
 * @throws FsError ENOENT when there is nothing
 */
export async function refreshAt(
  { tree, details }: Parts,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  let directory: DirectoryNode = tree.root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const known: ReturnType<typeof directory.children.get> = directory.children.get(name);
    if (known?.kind !== 'present' || !isDirectory(known.node)) {
      if (known?.kind === 'present') known.node.checkedMs = Number.NEGATIVE_INFINITY;
      if (known?.kind === 'absent') tree.invalidate(directory, name);
      tree.kernel.invalidateEntry(directory.id, name);
      break;
    }
    directory = known.node;
    // Each directory on the way may be another one now.
    directory.checkedMs = Number.NEGATIVE_INFINITY;
  }
  forgetBelow(tree, directory, details);
  const node = await nodeAt(tree, path, signal);
  return isDirectory(node) ? (await tree.childrenOf(node, signal)).length : undefined;
}

function forgetBelow(tree: Tree, directory: DirectoryNode, details: Parts['details']): void {
  askAnew(tree, directory);
  if ('project' in directory) details.forget(directory.project);
  if ('volume' in directory) details.forget(directory.volume);
  const { parent, name } = directory;
  if (parent) tree.kernel.invalidateEntry(parent.id, name);
  for (const node of [...directory.children.nodes()]) forgetNode(tree, node, details);
}

function forgetNode(tree: Tree, node: Node, details: Parts['details']): void {
  if (isDirectory(node)) forgetBelow(tree, node, details);
  else if (node.parent) tree.kernel.invalidateEntry(node.parent.id, node.name);
}
