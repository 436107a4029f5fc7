/**
 * The work of asynchronous jobs on a whole folder: a few entries at a time, each time in a transaction of their own. So a
 * folder of any size keeps no other caller waiting, and a worker that takes the job over goes on where it stood.
 *
 * The position is a stack of frames, one for each folder on the way down, the deepest last. A move or deletion always
 * takes the first entries of the deepest folder, since finished ones are gone from there. A copy remembers the name it
 * came to.
 *
 * Moves and copies follow the platform's rules: a folder of the same name is merged with, and a moved folder is a new
 * folder. Changes that others make to the folders meanwhile are met as they are found.
 *
 * A folder copied to a place above it (into its own parent, say, and so merged with itself) would find its own copies:
 * the copy remembers the earlier contents of each folder.
 */

import { randomId } from '../../lib/random-id.ts';
import { type FileRow, fileBatchesIn, filesIn, freeNumberedName, newFile } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import { type Arrival, copyFiles, type Doer, moveFiles } from './file-batches.ts';

export type TreeKind = 'copy' | 'move' | 'delete';

/** A folder that is being worked on. */
export interface TreeFrame {
  readonly from: string;
  /** The folder its entries go to; not of a deletion. */
  readonly to?: string;
  /** Of a copy: everything up to this name is done. */
  readonly after?: string;
  /** Of a copy that could find itself: the entries that are still to be done. */
  readonly only?: readonly string[];
}

export interface TreeStep {
  readonly kind: TreeKind;
  readonly doer: Doer;
  /** Entries to do at most. */
  readonly limit: number;
}

/** The frame to begin the copy of a folder with. */
export async function enterCopy(tx: Store, folder: FileRow, to: FileRow): Promise<TreeFrame> {
  return frameOf(tx, { from: folder.id, to: to.id }, await isWithin(tx, folder, to));
}

/** Does the next few entries. @throws ServiceError 5026 when the folder they go to is gone */
export async function advanceTree(
  tx: Store,
  frames: readonly TreeFrame[],
  step: TreeStep,
): Promise<{ readonly frames: readonly TreeFrame[]; readonly files: number }> {
  const stack = [...frames];
  let files = 0;
  for (let left = step.limit; left > 0; ) {
    const frame = stack.pop();
    if (frame === undefined) break;
    const { entries, rest } = await nextEntries(tx, frame, left);
    if (entries.length === 0 && rest === undefined) {
      if (step.kind !== 'copy') await filesIn(tx).delete({ id: frame.from, blob_key: null }, step.doer.now);
      left -= 1;
      continue;
    }
    const at = entries.findIndex(({ kind }) => kind === 'folder');
    const batch = at === -1 ? entries : entries.slice(0, at);
    const folder = entries[at];
    await doFiles(tx, batch, frame, step);
    files += batch.length;
    left -= batch.length + 1;
    const done = folder === undefined ? batch : [...batch, folder];
    stack.push(step.kind === 'copy' ? passed(frame, done, rest) : frame);
    if (folder !== undefined) stack.push(await enterBelow(tx, folder, frame, step.doer));
  }
  return { frames: stack, files };
}

/** Whether `folder` is `ancestor` or lies anywhere below it. */
export async function isWithin(store: Store, folder: FileRow, ancestor: FileRow): Promise<boolean> {
  let at: FileRow | undefined = folder;
  while (at !== undefined && at.id !== ancestor.id) {
    at = at.parent_id === null ? undefined : await filesIn(store).find(at.parent_id);
  }
  return at !== undefined;
}

/** The folder of that name in the target, or a new one. */
export async function arrivalFolder(tx: Store, { folder, name }: Arrival, doer: Doer): Promise<FileRow> {
  const there = await filesIn(tx).findChild(folder.id, name);
  if (there?.kind === 'folder') return there;
  const made = newFile({
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    kind: 'folder',
    name: await freeNumberedName(tx, folder.id, name),
    created_by: doer.username,
    created_on: doer.now,
  });
  await filesIn(tx).insert(made);
  return made;
}

async function frameOf(tx: Store, frame: TreeFrame, findsItself: boolean): Promise<TreeFrame> {
  if (!findsItself) return frame;
  return { ...frame, only: (await filesIn(tx).children(frame.from)).map(({ id }) => id) };
}

/** @returns Also what is left of `only` beyond them; undefined when nothing is */
async function nextEntries(
  tx: Store,
  { from, after, only }: TreeFrame,
  limit: number,
): Promise<{ entries: readonly FileRow[]; rest: readonly string[] | undefined }> {
  if (only === undefined) {
    return { entries: await fileBatchesIn(tx).children(from, { after, limit }), rest: undefined };
  }
  const rest = only.slice(limit);
  const entries = await fileBatchesIn(tx).findMany(only.slice(0, limit));
  return { entries, rest: rest.length === 0 ? undefined : rest };
}

/** The frame of a copy as it is once these entries are done. */
function passed(frame: TreeFrame, done: readonly FileRow[], rest: readonly string[] | undefined): TreeFrame {
  if (frame.only !== undefined) {
    const ids = new Set(done.map(({ id }) => id));
    const seen = frame.only.length - (rest?.length ?? 0);
    const unseen = frame.only.slice(0, seen).filter((id) => !ids.has(id));
    return { ...frame, only: done.length === 0 ? (rest ?? []) : [...unseen, ...(rest ?? [])] };
  }
  const last = done.at(-1);
  return last === undefined ? frame : { ...frame, after: last.name };
}

async function doFiles(
  tx: Store,
  files: readonly FileRow[],
  frame: TreeFrame,
  { kind, doer }: TreeStep,
): Promise<void> {
  if (files.length === 0) return;
  if (kind === 'delete') await fileBatchesIn(tx).delete(files, doer.now);
  else if (kind === 'move') await moveFiles(tx, files, await targetOf(tx, frame));
  else await copyFiles(tx, files, await targetOf(tx, frame), doer);
}

async function enterBelow(tx: Store, folder: FileRow, frame: TreeFrame, doer: Doer): Promise<TreeFrame> {
  if (frame.to === undefined) return { from: folder.id };
  const to = await arrivalFolder(tx, { folder: await targetOf(tx, frame), name: folder.name }, doer);
  return frameOf(tx, { from: folder.id, to: to.id }, frame.only !== undefined);
}

async function targetOf(tx: Store, { to = '' }: TreeFrame): Promise<FileRow> {
  const folder = await filesIn(tx).find(to);
  if (folder === undefined) throw new ServiceError(5026);
  return folder;
}
