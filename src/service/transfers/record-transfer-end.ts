import { type JobRun, recordAct, recordEnd, underLease } from '../jobs/job-run.ts';
import type { JobFailure } from '../jobs/job-table.ts';
import type { Store } from '../store/store.ts';
import type { ExportRequest } from './transfer-requests.ts';

/**
 * Records the end of an import or export, inside the transaction that has its effect. In the audit log an import is about
 * the volume it reads, an export about the file that it takes the content of.
 *
 * @throws LeaseLostError
 */
export async function recordTransferEnd(
  store: Store,
  run: JobRun,
  end: { readonly result: unknown } | { readonly failure: JobFailure },
): Promise<void> {
  await recordEnd(store, run, end);
  const { job } = run;
  const { volume, file }: Partial<ExportRequest> = JSON.parse(job.request);
  const { id: made } = ('failure' in end ? {} : (end.result ?? {})) as { readonly id?: string };
  await recordAct(store, run, {
    action: `${job.kind}.run`,
    object: file ?? volume,
    detail: file === undefined ? { project: job.project_id, made } : { volume },
    ...('failure' in end ? { failure: end.failure } : {}),
  });
}

export function failTransfer(run: JobRun, failure: JobFailure): Promise<void> {
  return underLease(run, (tx) => recordTransferEnd(tx, run, { failure }));
}
