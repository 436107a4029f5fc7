import type { AsyncFileJob, BulkResult, Failure, TransferJob } from '../api/model.ts';

/** A job that is over; a failure may also be that the platform knows the job no more. */
export type FinishedTransfer = BulkResult<TransferJob>;
export type FinishedAsync = BulkResult<AsyncFileJob>;

/** Why a finished job failed; undefined when it did not. */
export function failureOf(job: FinishedTransfer | FinishedAsync): Failure | undefined {
  if (!job.ok) {
    return job.failure;
  }
  if ('failedFiles' in job.value) {
    return asyncFailureOf(job.value);
  }
  return job.value.state === 'FAILED' ? (job.value.failure ?? UNNAMED) : undefined;
}

function asyncFailureOf(job: AsyncFileJob): Failure | undefined {
  const failed = job.results.find((each) => !each.ok);
  if (failed && !failed.ok) {
    return failed.failure;
  }
  return job.failedFiles > 0 ? UNNAMED : undefined;
}

const UNNAMED: Failure = {
  status: 500,
  code: 0,
  message: 'the job failed, and the platform does not say why',
};
