import { destinationFolder } from '../actions/destination-folder.ts';
import { fileFor } from '../actions/file-access.ts';
import { storedTime } from '../api-time.ts';
import type { Caller } from '../caller.ts';
import { checkFileName, checkFolderName } from '../rules/names.ts';
import { demand } from '../rules/permissions.ts';
import { ServiceError } from '../service-error.ts';
import type { DetailedFile, FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { type Arrival, copyTree, type Doer, deleteTree, isWithin, moveTree } from './file-tree.ts';
import type { FileJobItem } from './job-requests.ts';
import { type JobRun, submitterOf } from './job-run.ts';

/**
 * Does one item of an asynchronous job, inside a transaction, with the permissions of who submitted the job.
 *
 * @returns The file or folder as it then is; null after a deletion
 * @throws ServiceError 5002, 57016; and for copies and moves those of `destinationFolder`, 57015, 57010, 57012, 5024
 */
export async function workOnItem(tx: Store, run: JobRun, item: FileJobItem): Promise<DetailedFile | null> {
  const { services, job } = run;
  const caller = submitterOf(job);
  const doer: Doer = { username: job.created_by, now: storedTime(services.clock.now()) };
  const { file, permissions } = await fileFor(tx, caller, item.file);
  demand(permissions, job.kind === 'copy' ? 'copy' : 'write', 57016);
  if (job.kind === 'delete') {
    if (file.parent_id === null) throw new ServiceError(57024);
    await deleteTree(tx, file, doer);
    return null;
  }
  if (file.parent_id === null) throw new ServiceError(job.kind === 'move' ? 57020 : 57022);
  const arrival = await arrivalOf(tx, caller, { file, item });
  if (await isWithin(tx, arrival.folder, file)) throw new ServiceError(job.kind === 'move' ? 57010 : 57012);
  const arrived = await (job.kind === 'move' ? moveTree : copyTree)(tx, file, arrival, doer);
  const [detailed] = await tx.files.withDetails([arrived]);
  return detailed ?? null;
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
