import { setImmediate } from 'node:timers/promises';
import { fileFor, filesIn } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import {
  failureOf,
  type JobRun,
  recordAct,
  recordEnd,
  recordStart,
  submitterOf,
  underLease,
} from '../jobs/job-run.ts';
import type { JobFailure } from '../jobs/job-table.ts';
import { jobsIn, LeaseLostError } from '../jobs/job-table.ts';
import { isPassingFailure } from '../store/database-failure.ts';
import type { Store } from '../store/store.ts';
import type { FileJobItem, FileJobRequest, FileJobResult, ItemProgress } from './file-job-requests.ts';
import { archivedBelow, beginItem, continueItem, countFiles } from './file-work.ts';

/**
 * Copies, moves or deletes files and folders. Each file, and each batch of a folder's entries, is one transaction,
 * which also records how far the job has come: a worker that takes it over goes on there. An item that fails, fails
 * alone; what was done of a folder before that stays done.
 */
export async function runFileJob(run: JobRun): Promise<void> {
  const { services, job, signal } = run;
  const { items }: FileJobRequest = JSON.parse(job.request);
  let result = job.result === null ? await resolve(run, items) : (JSON.parse(job.result) as FileJobResult);
  await recordStart(run);
  for (let item = items[result.entries.length]; item !== undefined; item = items[result.entries.length]) {
    signal.throwIfAborted();
    result = await advance(run, item, result);
    // SQLite answers at once: without this, no request would be read before the job has ended.
    await setImmediate();
  }
  await recordEnd(services.store, run, { result });
}

/** Finds out how many files the job is about. */
async function resolve(run: JobRun, items: readonly FileJobItem[]): Promise<FileJobResult> {
  const { services, job, lease } = run;
  await jobsIn(services.store).record(lease, { state: 'RESOLVING' });
  let totalFiles = 0;
  for (const item of items) totalFiles += await visibleFilesOf(services.store, submitterOf(job), item);
  return { entries: [], totalFiles };
}

/** Goes on with an item, and answers the job's result as it then is. */
async function advance(run: JobRun, item: FileJobItem, before: FileJobResult): Promise<FileJobResult> {
  const { logger } = run.services;
  try {
    const { current } = before;
    const archived = current === undefined ? await archivedBelow(run, item) : undefined;
    return await underLease(run, async (tx) => {
      const progress =
        current === undefined
          ? await beginItem(tx, run, { item, archived })
          : await continueItem(tx, run, current);
      const after =
        progress.frames.length > 0
          ? { ...before, current: progress }
          : await endOfItem(tx, run, { item, before, progress });
      await jobsIn(tx).record(run.lease, { result: JSON.stringify(after) });
      return after;
    });
  } catch (error) {
    if (error instanceof LeaseLostError || isPassingFailure(error)) throw error;
    if (!(error instanceof ServiceError)) logger.error({ job: run.job.id, err: error }, 'item failed');
    return underLease(run, (tx) => failItem(tx, run, { item, before, failure: failureOf(error) }));
  }
}

async function endOfItem(
  tx: Store,
  run: JobRun,
  end: { readonly item: FileJobItem; readonly before: FileJobResult; readonly progress: ItemProgress },
): Promise<FileJobResult> {
  const { parent, project, file: object } = end.item;
  const { arrived, files } = end.progress;
  const row = arrived === null ? undefined : await filesIn(tx).find(arrived);
  const [file = null] = row === undefined ? [] : await filesIn(tx).withDetails([row]);
  const detail = { parent, project, made: file?.id };
  await recordAct(tx, run, { action: `file.${run.job.kind}`, object, detail });
  const { entries, totalFiles } = end.before;
  return { entries: [...entries, { file, files: Math.max(files, 1) }], totalFiles };
}

async function failItem(
  tx: Store,
  run: JobRun,
  end: { readonly item: FileJobItem; readonly before: FileJobResult; readonly failure: JobFailure },
): Promise<FileJobResult> {
  const { item, before, failure } = end;
  const { entries, totalFiles, current } = before;
  // A copy leaves what it copied where it was: that is no longer to be done.
  const done = run.job.kind === 'copy' ? (current?.files ?? 0) : 0;
  // Other callers may see a job that has begun: its files are in the total.
  const total =
    current === undefined ? await visibleFilesOf(tx, submitterOf(run.job), item) : await filesOf(tx, item);
  const files = Math.max(total - done, 1);
  const after = { entries: [...entries, { failure, files, filesBefore: current?.files ?? 0 }], totalFiles };
  await jobsIn(tx).record(run.lease, { result: JSON.stringify(after) });
  await recordAct(tx, run, { action: `file.${run.job.kind}`, object: item.file, failure });
  return after;
}

/** Files in what an item names; one where there are none, or that cannot be told: a failure must show in the counts. */
async function filesOf(store: Store, item: FileJobItem): Promise<number> {
  const file = await filesIn(store).find(item.file);
  return file === undefined ? 1 : Math.max(await countFiles(store, file), 1);
}

/** The same for the submitter: what they cannot see is not there. */
async function visibleFilesOf(store: Store, submitter: Caller, item: FileJobItem): Promise<number> {
  try {
    await fileFor(store, submitter, item.file);
    return await filesOf(store, item);
  } catch (error) {
    if (error instanceof ServiceError) return 1;
    throw error;
  }
}
