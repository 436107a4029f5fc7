import { ServiceError } from '../service-error.ts';
import { LeaseLostError } from '../store/jobs.ts';
import { countFiles } from './file-tree.ts';
import { workOnItem } from './file-work.ts';
import type { FileJobEntry, FileJobItem, FileJobRequest, FileJobResult } from './job-requests.ts';
import { failureOf, type JobRun, recordAct, recordEnd, recordStart } from './job-run.ts';

/**
 * Copies, moves or deletes files and folders. Each item is one transaction, which also records that the item is done:
 * whoever takes the job over goes on with the next one. An item that fails, fails alone.
 */
export async function runFileJob(run: JobRun): Promise<void> {
  const { services, job, signal } = run;
  const { items }: FileJobRequest = JSON.parse(job.request);
  const before = job.result === null ? await resolve(run, items) : (JSON.parse(job.result) as FileJobResult);
  await recordStart(run);
  let result = before;
  for (const item of items.slice(before.entries.length)) {
    signal.throwIfAborted();
    result = await workOn(run, item, result);
  }
  await recordEnd(services.store, run, { result });
}

/** Finds out how many files the job is about. */
async function resolve(run: JobRun, items: readonly FileJobItem[]): Promise<FileJobResult> {
  const { services, lease } = run;
  await services.store.jobs.record(lease, { state: 'RESOLVING' });
  let totalFiles = 0;
  for (const item of items) totalFiles += await filesOf(run, item);
  return { entries: [], totalFiles };
}

/** Does one item, and answers the job's result with its entry. */
async function workOn(run: JobRun, item: FileJobItem, before: FileJobResult): Promise<FileJobResult> {
  const { store } = run.services;
  const files = await filesOf(run, item);
  const act = { action: `file.${run.job.kind}`, object: item.file };
  const withEntry = (entry: FileJobEntry): FileJobResult => ({
    ...before,
    entries: [...before.entries, entry],
  });
  try {
    return await store.transaction(async (tx) => {
      const file = await workOnItem(tx, run, item);
      const after = withEntry({ file, files });
      await tx.jobs.record(run.lease, { result: JSON.stringify(after) });
      const { parent, project } = item;
      await recordAct(tx, run, { ...act, detail: { parent, project, made: file?.id } });
      return after;
    });
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (!(error instanceof ServiceError))
      run.services.logger.error({ job: run.job.id, err: error }, 'item failed');
    const failure = failureOf(error);
    const after = withEntry({ failure, files });
    await store.transaction(async (tx) => {
      await tx.jobs.record(run.lease, { result: JSON.stringify(after) });
      await recordAct(tx, run, { ...act, failure });
    });
    return after;
  }
}

/** Files in what an item names; one where there are none, or that cannot be told: a failure must show in the counts. */
async function filesOf({ services }: JobRun, item: FileJobItem): Promise<number> {
  const file = await services.store.files.find(item.file);
  return file === undefined ? 1 : Math.max(await countFiles(services.store, file), 1);
}
