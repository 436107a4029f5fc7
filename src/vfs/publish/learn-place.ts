import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import type { DirectoryNode, Node, ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** The move of a folder that a node is in, by a job of ours: until that is over nobody knows what it is in. */
export function moveAbove({ parent }: Node): Promise<void> | undefined {
  for (let at = parent; at; at = at.parent)
    if (at.kind === 'project-folder' && at.moving !== undefined) return at.moving;
  return undefined;
}

/**
 * Asks for the folders of a file that are in doubt, before something goes into them: one that was moved with another has a
 * new id, which may not be known yet.
 */
export async function learnPlace(tree: Tree, { parent }: Pick<ProjectFileNode, 'parent'>): Promise<void> {
  if (parent) await learnFolder(tree, parent);
}

async function learnFolder(tree: Tree, folder: DirectoryNode): Promise<void> {
  const { parent, name } = folder;
  if (folder.kind !== 'project-folder' || !folder.record || !parent) return;
  // Outer ones first: an answer about one puts what is in it in doubt.
  await learnFolder(tree, parent);
  if (folder.checkedMs === Number.NEGATIVE_INFINITY) await tree.childOf(parent, name, NEVER_ABORTED);
}
