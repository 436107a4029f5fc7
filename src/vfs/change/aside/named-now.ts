/**
 * Finds the file that has a name now, by facts at most a second old, before an operation changes it by its id. A file
 * keeps its id when another client moves it, so an id learnt a while ago may have any name by now.
 *
 * Asking changes only the known facts. A draft keeps the record it was begun from until the operation is done. Should the
 * operation fail, the draft's close finds by that record whether it would replace another client's file.
 */

import type { FileRecord } from '../../../api/model.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import { FRESH_MS } from '../../listing/revalidation-plan.ts';
import type { DirectoryNode, Node, ProjectFileNode } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import type { Tree } from '../../model/tree.ts';
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
 * Whether a node that had a name a moment ago still holds it. A draft has: the question of its file is for the holder
 * of the lock of its content (`fileToRename`, `publishedNow`).
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
  return node.parent === parent && node.name === name;
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

/** The file that has this name on the platform now. */
export async function fileNamed({ api }: Tree, place: FilePlace): Promise<FileRecord | undefined> {
  try {
    const entry = await api.files.find(place);
    return entry?.kind === 'file' ? entry : undefined;
  } catch (error) {
    // Its folder is gone.
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The file that a rename of `node` renames on the platform. The record that a draft was begun from is not asked for
 * elsewhere, and may be as old as the draft. Undefined once another client has moved or replaced it: the draft then goes
 * on as that of a new file. The caller holds the lock of the content.
 *
 * @throws ESTALE When a handle is open for writing and wrote nothing, and another client has moved the file.
 */
export async function fileToRename(tree: Tree, node: ProjectFileNode): Promise<FileRecord | undefined> {
  const { record, draft } = node;
  if (!record || !draft || tree.clock.elapsed() - node.checkedMs <= FRESH_MS) return record;
  if (await isNamedAs(tree, record, placeOf(record, node))) return node.record;
  if (!draft.dirty) throw isNamedOtherwise(node);
  return undefined;
}

/** A file and the name it has. */
type Named = Place & { readonly node: ProjectFileNode };

/** The two ends of a rename, whose names are about to change. */
export interface RenameEnds {
  readonly source: Named;
  readonly target: Named | undefined;
}

export function renameEnds(rename: {
  readonly source: ProjectFileNode;
  readonly parent: DirectoryNode;
  readonly name: string;
  readonly target: ProjectFileNode | undefined;
}): RenameEnds {
  const { source, parent, name, target } = rename;
  if (!source.parent) throw isNamedOtherwise(source);
  const from = { node: source, parent: source.parent, name: source.name };
  return { source: from, target: target && { node: target, parent, name } };
}

/** @throws ESTALE When one is at another name by now: what is to be renamed has to be looked up anew. */
export async function requirePlacesStill(
  tree: Tree,
  { source, target }: RenameEnds,
  signal = NEVER_ABORTED,
): Promise<void> {
  for (const end of [source, target])
    if (end && !(await hasNameStill(tree, end.node, end, signal))) throw isNamedOtherwise(end.node);
}

/** As `requirePlacesStill` for a source that is on the platform as it is here: its file is to have the name, draft or not. */
export async function requireNamesStill(tree: Tree, ends: RenameEnds): Promise<void> {
  await requirePlacesStill(tree, ends);
  const { node } = ends.source;
  if (node.record && !(await fileToRename(tree, node))) throw isNamedOtherwise(node);
}

function isNamedOtherwise({ name }: ProjectFileNode): FsError {
  return new FsError('ESTALE', `${name} is another file now`);
}
