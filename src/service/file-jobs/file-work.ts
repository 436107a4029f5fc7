import type { ErrorCode } from '../../contract/error-codes.ts';
import {
  type CopyCandidate,
  checkCopyable,
  checkFileName,
  checkFolderName,
  destinationFolder,
  type FileRow,
  fileBatchesIn,
  fileFor,
  filesIn,
} from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { type JobRun, submitterOf } from '../jobs/job-run.ts';
import { demand, type ProjectPermission, projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { type Arrival, copyFile, type Doer, moveFile } from './file-batches.ts';
import type { FileJobItem, ItemProgress } from './file-job-requests.ts';
import { advanceTree, arrivalFolder, enterCopy, isWithin, type TreeKind } from './file-tree.ts';

/** Entries of a folder that one transaction does: some tens of milliseconds, in which others may have to wait. */
const BATCH = 200;

/**
 * An archived file in a folder that is to be copied, so that nothing of it is copied then. Not in the transaction that
 * begins the item: having read the whole tree, that would have to give way to every writer to it.
 */
export async function archivedBelow(
  { services, job }: JobRun,
  item: FileJobItem,
): Promise<CopyCandidate | undefined> {
  return job.kind === 'copy' ? fileBatchesIn(services.store).findArchivedBelow(item.file) : undefined;
}

/**
 * Begins one item of an asynchronous job, inside a transaction, with the permissions of the user who submitted the job. A
 * file is done with that. For a folder, `continueItem` does one batch after the other, until no frame is left.
 *
 * @param archived The result of `archivedBelow`
 *
 * @throws ServiceError 5002, 57016, 5007. Copies and moves also throw those of `destinationFolder`, 57015, 57010, 57012,
 * 5024
 */
export async function beginItem(
  tx: Store,
  run: JobRun,
  { item, archived }: { readonly item: FileJobItem; readonly archived: CopyCandidate | undefined },
): Promise<ItemProgress> {
  const kind = kindOf(run);
  const caller = submitterOf(run.job);
  const { file, permissions } = await fileFor(tx, caller, item.file);
  demand(permissions, kind === 'copy' ? 'copy' : 'write', 57016);
  if (file.parent_id === null) throw new ServiceError(ROOT_REFUSED[kind]);
  if (kind === 'copy') checkCopyable(archived ?? file);
  if (kind === 'delete') return beginDeletion(tx, file, doerOf(run));
  const arrival = await arrivalOf(tx, caller, { file, item });
  if (await isWithin(tx, arrival.folder, file)) throw new ServiceError(kind === 'move' ? 57010 : 57012);
  if (kind === 'move' && file.parent_id === arrival.folder.id && file.name === arrival.name) {
    return { arrived: file.id, frames: [], files: await countFiles(tx, file) };
  }
  if (file.kind === 'folder') {
    const folder = await arrivalFolder(tx, arrival, doerOf(run));
    const frame = kind === 'copy' ? await enterCopy(tx, file, folder) : { from: file.id, to: folder.id };
    return { arrived: folder.id, frames: [frame], files: 0 };
  }
  const { id } = await (kind === 'move'
    ? moveFile(tx, file, arrival)
    : copyFile(tx, file, { ...arrival, doer: doerOf(run) }));
  return { arrived: id, frames: [], files: 1 };
}

/** Does the next entries of a folder. @throws ServiceError 5026, 57015, 57016, 5007 */
export async function continueItem(tx: Store, run: JobRun, progress: ItemProgress): Promise<ItemProgress> {
  await demandStill(tx, run, progress);
  const step = { kind: kindOf(run), doer: doerOf(run), limit: BATCH };
  const { frames, files } = await advanceTree(tx, progress.frames, step);
  return { ...progress, frames, files: progress.files + files };
}

/** Files in a file or folder. */
export async function countFiles(store: Store, entry: FileRow): Promise<number> {
  return entry.kind === 'file' ? 1 : fileBatchesIn(store).countBelow(entry.id);
}

const ROOT_REFUSED = { copy: 57022, move: 57020, delete: 57024 } as const;

async function beginDeletion(tx: Store, file: FileRow, doer: Doer): Promise<ItemProgress> {
  if (file.kind === 'folder') return { arrived: null, frames: [{ from: file.id }], files: 0 };
  await filesIn(tx).delete(file, doer.now);
  return { arrived: null, frames: [], files: 1 };
}

/** A long job ends where its submitter loses the permission for it. A folder that is gone needs no permission. */
async function demandStill(tx: Store, run: JobRun, { frames: [top] }: ItemProgress): Promise<void> {
  const demandOn = async (id: string | undefined, permission: ProjectPermission, refusal: ErrorCode) => {
    const folder = id === undefined ? undefined : await filesIn(tx).find(id);
    if (folder === undefined) return;
    const permissions = await projectsIn(tx).permissionsOf(run.job.created_by, folder.project_id);
    if (permissions?.[permission] !== true) throw new ServiceError(refusal);
  };
  await demandOn(top?.from, kindOf(run) === 'copy' ? 'copy' : 'write', 57016);
  await demandOn(top?.to, 'write', 57015);
}

function kindOf({ job }: JobRun): TreeKind {
  return job.kind as TreeKind;
}

function doerOf({ services, job }: JobRun): Doer {
  return { username: job.created_by, now: storedTime(services.clock.now()) };
}

async function arrivalOf(
  tx: Store,
  caller: Caller,
  { file, item }: { readonly file: FileRow; readonly item: FileJobItem },
): Promise<Arrival> {
  const { parent, project } = item;
  const { file: folder, permissions } = await destinationFolder(tx, caller, {
    parent,
    project,
    malformed: 3010,
  });
  demand(permissions, 'write', 57015);
  const name = item.name || file.name;
  return { folder, name: file.kind === 'folder' ? checkFolderName(name) : checkFileName(name, 5024) };
}
