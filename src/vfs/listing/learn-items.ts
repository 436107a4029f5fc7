import type { Details } from '../directories/details.ts';
import type { TreeName } from '../directories/selection.ts';
import { shownName } from '../model/escape.ts';
import { type DirectoryNode, isDirectory, type Node } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** A project or volume that was made, edited or removed. */
export interface LearntItem {
  readonly tree: TreeName;
  /** `owner/name` */
  readonly id: string;
}

interface Parts {
  readonly tree: Pick<Tree, 'root' | 'nodes' | 'invalidate' | 'expire'>;
  readonly details: Pick<Details, 'forget'>;
}

/** Somebody at this machine changed projects or volumes past the mount: it asks for them anew when a program looks. */
export function learnItems({ tree, details }: Parts, items: readonly LearntItem[]): void {
  for (const { tree: top, id } of items) {
    for (const node of tree.nodes.values()) {
      if (top === 'projects' && 'project' in node && node.project.id === id) details.forget(node.project);
      if (top === 'volumes' && 'volume' in node && node.volume.id === id) details.forget(node.volume);
    }
    const slash = id.indexOf('/');
    const owners = childDirectory(tree.root, top);
    if (owners === undefined) continue;
    const owner = shownName(id.slice(0, slash), 'entry');
    const ofOwner = childDirectory(owners, owner);
    askAnew(tree, owners);
    // Its first may have come, and its last gone.
    if (ofOwner === undefined) {
      tree.invalidate(owners, owner);
      continue;
    }
    askAnew(tree, ofOwner);
    tree.invalidate(ofOwner, shownName(id.slice(slash + 1), 'entry'));
  }
}

/** All names of a directory are asked for at the next use. */
export function askAnew(tree: Pick<Tree, 'expire'>, directory: DirectoryNode): void {
  if (directory.kind === 'virtual-directory') directory.source.expire?.();
  tree.expire(directory);
}

function childDirectory(directory: DirectoryNode, name: string): DirectoryNode | undefined {
  const known = directory.children.get(name);
  const node: Node | undefined = known?.kind === 'present' ? known.node : undefined;
  return node !== undefined && isDirectory(node) ? node : undefined;
}
