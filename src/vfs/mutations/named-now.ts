/**
 * What has a name now, by facts at most a second old, before something is done to it by its id. A file keeps its id when
 * another client moves it: what is removed or renamed by an id that was learnt a while ago may have any name by now.
 */

import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errno-of.ts';
import { FsError } from '../fs-error.ts';
import type { DirectoryNode, Node, ProjectFileNode } from '../node.ts';
import type { Place } from '../operations.ts';
import type { Tree } from '../tree.ts';

/** As `Tree.childOf`; an absence may be an older one: the platform refuses a name that is taken. */
export async function childNow(
  tree: Tree,
  { parent, name }: Place,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const node = await tree.childOf(parent, name, signal);
  if (node === undefined) return undefined;
  if (node.kind === 'project-folder') return tree.freshChildOf(parent, name, signal);
  return (await hasNameStill(tree, node, { parent, name }, signal))
    ? node
    : tree.childOf(parent, name, signal);
}

/** Whether a node that had a name a moment ago has it still. */
export async function hasNameStill(
  tree: Tree,
  node: Node,
  { parent, name }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (node.kind === 'project-file') await tree.revalidate(node, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESTALE') throw error;
  }
  return node.parent === parent && node.name === name;
}

/** A file and the name it has. */
type Named = Place & { readonly node: ProjectFileNode };

/** What a rename is about to change the names of. */
export function renameEnds(rename: {
  readonly source: ProjectFileNode;
  readonly parent: DirectoryNode;
  readonly name: string;
  readonly target: ProjectFileNode | undefined;
}): readonly Named[] {
  const { source, parent, name, target } = rename;
  if (!source.parent) throw isNamedOtherwise(source);
  const from = { node: source, parent: source.parent, name: source.name };
  return target ? [from, { node: target, parent, name }] : [from];
}

/** @throws ESTALE When one has another name by now: what is to be renamed has to be looked up anew. */
export async function requireNamesStill(tree: Tree, files: readonly Named[]): Promise<void> {
  for (const { node, ...place } of files)
    if (!(await hasNameStill(tree, node, place, NEVER_ABORTED))) throw isNamedOtherwise(node);
}

function isNamedOtherwise({ name }: ProjectFileNode): FsError {
  return new FsError('ESTALE', `${name} is another file now`);
}
