import type { KernelCaches } from '../file-system.ts';
import { type DirectoryNode, pathOf, type SyntheticNode } from './node.ts';

const NEVER_MS = Number.NEGATIVE_INFINITY;

/** Has what is at a path asked for anew, if the kernel knows it. */
export function expireAt(path: string, tops: readonly DirectoryNode[], kernel: KernelCaches): void {
  const top = tops.find((each) => path === pathOf(each) || path.startsWith(`${pathOf(each)}/`));
  if (top === undefined) return;
  let node: SyntheticNode | undefined = top;
  for (const name of path.slice(pathOf(top).length).split('/').filter(Boolean))
    node = node?.kind === 'directory' ? node.children.get(name) : undefined;
  if (node?.kind === 'directory') expireDirectory(node, kernel);
  else if (node) expireName(node, kernel);
}

function expireDirectory(directory: DirectoryNode, kernel: KernelCaches): void {
  directory.names = undefined;
  for (const child of directory.children.values()) if (child.kind !== 'directory') expireName(child, kernel);
  if (directory.parent === undefined) return;
  directory.learntMs = NEVER_MS;
  // Its name stays known to the kernel: programs may be in it.
  kernel.invalidateNode(directory.id, -1);
}

function expireName(node: Exclude<SyntheticNode, DirectoryNode>, kernel: KernelCaches): void {
  node.learntMs = NEVER_MS;
  kernel.invalidateEntry(node.parent.id, node.name);
}
