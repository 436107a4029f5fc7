/**
 * What has a name now, by facts at most a second old, before something is done to it by its id. A file keeps its id when
 * another client moves it: what is removed or renamed by an id that was learnt a while ago may have any name by now.
 */

import type { FileRecord } from '../../api/model.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errno-of.ts';
import { FsError } from '../fs-error.ts';
import { FRESH_MS } from '../listing/revalidation-plan.ts';
import type { DirectoryNode, Node, ProjectFileNode } from '../node.ts';
import { annotationsFor, restoreAnnotations } from '../open/annotations.ts';
import type { Place } from '../operations.ts';
import type { Tree } from '../tree.ts';
import type { Place as FilePlace } from './aside-journal.ts';
import { placeOf } from './asides.ts';

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

/**
 * Whether a node that had a name a moment ago has it still.
 *
 * @throws ESTALE When it is open to be written, nothing was, and another client has moved its file.
 */
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
  if (node.kind === 'project-file') await letGoOfMoved(tree, node);
  return node.parent === parent && node.name === name;
}

/**
 * What a draft is of is asked for nowhere else, and may be as old as the draft. Once another client has moved or replaced
 * it, the draft is that of a new file, with all that the old one had been given.
 */
async function letGoOfMoved(tree: Tree, node: ProjectFileNode): Promise<void> {
  const { record, draft } = node;
  if (!record || !draft || tree.clock.elapsed() - node.checkedMs <= FRESH_MS) return;
  if (await isNamedAs(tree, record, placeOf(record, node))) {
    node.checkedMs = tree.clock.elapsed();
    return;
  }
  if (!draft.dirty) throw isNamedOtherwise(node);
  restoreAnnotations(node, annotationsFor(node));
  node.record = undefined;
}

/** Whether a file has this name on the platform now. */
export async function isNamedAs({ api }: Tree, { id }: FileRecord, place: FilePlace): Promise<boolean> {
  try {
    const { parent, name } = await api.files.get(id);
    return parent === place.parent && name === place.name;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
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
