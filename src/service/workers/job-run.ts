import { storedTime } from '../api-time.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { JobKind, JobRow, Lease } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { JobFailure } from './job-requests.ts';

/** What the run of a job works with. */
export interface JobRun {
  readonly services: Services;
  readonly job: JobRow;
  readonly lease: Lease;
  /** Fires when the lease is lost or the worker stops. */
  readonly signal: AbortSignal;
}

/** Imports and exports, as opposed to asynchronous jobs on files, which have other states. */
export function isTransfer(kind: JobKind): boolean {
  return kind === 'import' || kind === 'export';
}

/** A failure as a job keeps it; what is no refusal is the service's own fault. */
export function failureOf(error: unknown): JobFailure {
  const { status, code, message } = error instanceof ServiceError ? error : new ServiceError(90009);
  return { status, code, message };
}

/** Records that the work has begun; a job taken over keeps the time of its first beginning. @throws LeaseLostError */
export async function recordStart({ services, job, lease }: JobRun): Promise<void> {
  const { store, clock, jobSignals } = services;
  const started_on = job.started_on ?? storedTime(clock.now());
  await store.jobs.record(lease, { state: 'RUNNING', started_on });
  jobSignals.tell('changed');
}

/** Records the end, with the job's effect when called inside its transaction. @throws LeaseLostError */
export async function recordEnd(
  store: Store,
  { services, job, lease }: JobRun,
  end: { readonly result: unknown } | { readonly failure: JobFailure },
): Promise<void> {
  const failed = 'failure' in end;
  await store.jobs.record(lease, {
    state: isTransfer(job.kind) ? (failed ? 'FAILED' : 'COMPLETED') : 'FINISHED',
    ...(failed ? { error: JSON.stringify(end.failure) } : { result: JSON.stringify(end.result) }),
    finished_on: storedTime(services.clock.now()),
    leased_by: null,
    lease_until: null,
  });
}
