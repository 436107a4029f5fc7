/**
 * Where a folder is after the platform was asked to move it. An answer that was lost leaves two places to look at. The tree
 * follows: the folder and all folders in it have other ids by then.
 */
import type { FolderRecord } from '../../../api/model.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { folderNameOnPlatform } from '../../model/escape.ts';
import {
  type FolderNode,
  folderIdOf,
  isFolder,
  type Node,
  type ProjectFileNode,
  type ProjectFolderNode,
  pathOf,
  type SpecialFileNode,
} from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';
import { bringState, localStateBelow } from './local-state.ts';
import type { RenameParts } from './rename-parts.ts';

/** A program that waits for the rename has waited for long by then. */
const LOOK_MS = 10_000;

interface Move {
  readonly source: ProjectFolderNode;
  readonly parent: ProjectFolderNode;
  readonly name: string;
}

/** Whether the platform may have done what failed. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TransportError' || error.name === 'JobError');
}

/**
 * Finds a folder after a move without an answer: the old id is gone, and a folder of another id is at the target.
 * Undefined: it was not moved.
 */
export async function movedFolder(
  { api }: Tree,
  { source, parent, name }: Move,
): Promise<FolderRecord | undefined> {
  const signal = AbortSignal.timeout(LOOK_MS);
  if (!(await isGone(api.files.get(folderIdOf(source), { signal })))) return undefined;
  const there = await api.files.find(
    { parent: folderIdOf(parent), name: folderNameOnPlatform(name) },
    { signal },
  );
  return there?.kind === 'folder' ? there : undefined;
}

async function isGone(asking: Promise<unknown>): Promise<boolean> {
  try {
    await asking;
    return false;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return true;
  }
}

/**
 * Waits until the job that was last asked to move what has this path is over, as far as it is known. False: the mount ends, and
 * nobody asks any more.
 */
export async function untilOver({ jobs }: Tree, path: string): Promise<boolean> {
  const job = jobs.ofPath(path);
  for (;;) {
    try {
      if (job) await jobs.wait(job.id);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'WatchingEnded') return false;
      // A question that fails ends the waiting, and not the job.
    }
  }
}

/** The tree has it where the platform has it now. */
export async function follow(
  { tree, contents }: RenameParts,
  { source, parent, name, record }: Move & { readonly record: FolderRecord },
): Promise<void> {
  moveFolderState(tree, source.record?.id, record.id);
  if (source.project !== parent.project) {
    const taken = hereBelow(contents, source);
    const state = localStateBelow(tree, source);
    tree.detach(source);
    const moved = tree.placedRecord(parent, record);
    tree.kernel.invalidateEntry(parent.id, name);
    if (moved.kind !== 'project-folder') return;
    const bring = bringState(tree, state, (names) => folderAt(tree, moved, names));
    await bring.catch((error: unknown) => tree.recordError({ op: 'rename', path: pathOf(moved) }, error));
    await bringAlong(tree, taken, moved);
    return;
  }
  tree.moved(source, { parent, name });
  source.record = record;
  await refreshFolderIds(tree, source);
}

/** Learns the new ids of the folders that are known; below an unknown folder nothing is. */
async function refreshFolderIds(tree: Tree, folder: ProjectFolderNode): Promise<void> {
  const known = [...folder.children.nodes()].filter((node) => node.kind === 'project-folder');
  if (known.length === 0) return;
  const before = known.map(({ record }) => record?.id);
  tree.expire(folder);
  try {
    await tree.childrenOf(folder, NEVER_ABORTED);
  } catch (error) {
    // The folder is moved all the same: the next use of one below it asks for it.
    tree.recordError({ op: 'rename', path: pathOf(folder) }, error);
    for (const child of known) tree.doubt(child);
    return;
  }
  for (const [at, child] of known.entries()) {
    moveFolderState(tree, before[at], child.record?.id);
    await refreshFolderIds(tree, child);
  }
}

function moveFolderState(tree: Tree, before: string | undefined, after: string | undefined): void {
  if (before === undefined || after === undefined || before === after) return;
  const facts = tree.folderState.get(before);
  if (!facts) return;
  tree.folderState.set(after, facts);
  tree.folderState.delete(before);
}

interface Taken {
  readonly node: ProjectFileNode | SpecialFileNode;
  /** Names of the folders that it is in, from the one that goes. */
  readonly folders: readonly string[];
}

/**
 * The files that go along with a folder into another project; no other node below it does. They are files that are being
 * written, or were written and are not on the platform, and pipes and sockets of this mount.
 */
function hereBelow(contents: Contents, folder: ProjectFolderNode): readonly Taken[] {
  const found: Taken[] = [...specialFilesBelow(folder, [])];
  for (const { node, writers, outstanding, unlinked } of contents.values()) {
    if (node.kind !== 'project-file' || unlinked || (writers === 0 && outstanding === 'none')) continue;
    const folders = foldersTo(node, folder);
    if (folders) found.push({ node, folders });
  }
  return found;
}

function* specialFilesBelow(folder: FolderNode, folders: readonly string[]): Generator<Taken> {
  for (const child of folder.children.nodes()) {
    if (isFolder(child)) yield* specialFilesBelow(child, [...folders, child.name]);
    else if (child.kind === 'special-file') yield { node: child, folders };
  }
}

function foldersTo(node: ProjectFileNode, folder: ProjectFolderNode): readonly string[] | undefined {
  const folders: string[] = [];
  for (let at = node.parent; at; at = at.parent) {
    if (at === folder) return folders;
    folders.unshift(at.name);
  }
  return undefined;
}

/**
 * Puts each file where its folder is now. A file whose folder is not found there has no place any more; its writer is
 * told.
 */
async function bringAlong(tree: Tree, taken: readonly Taken[], to: ProjectFolderNode): Promise<void> {
  for (const { node, folders } of taken) {
    try {
      const parent = await folderAt(tree, to, folders);
      if (parent) tree.moved(node, { parent, name: node.name });
    } catch (error) {
      tree.recordError({ op: 'rename', path: `${pathOf(to)}/${[...folders, node.name].join('/')}` }, error);
    }
  }
}

async function folderAt(
  tree: Tree,
  top: ProjectFolderNode,
  folders: readonly string[],
): Promise<ProjectFolderNode | undefined> {
  let at: Node | undefined = top;
  for (const name of folders)
    at = at?.kind === 'project-folder' ? await tree.childOf(at, name, NEVER_ABORTED) : undefined;
  return at?.kind === 'project-folder' ? at : undefined;
}
