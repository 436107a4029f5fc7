import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { type AuditedAct, auditEntries } from '../operations/audit/audit-entry.ts';
import { auditIn } from '../operations/audit/audit-table.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import type { HasJobSignals } from './job-signals.ts';
import type { JobFailure, JobKind, JobRow, Lease } from './job-table.ts';
import { jobsIn } from './job-table.ts';

/** The services that every job needs. */
export interface JobServices extends HasStore, HasClock, HasLogger, HasJobSignals {}

/** The context of one run of a job. */
export interface JobRun<Services extends JobServices = JobServices> {
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

/** With whose permissions a job works: nobody else's, and none that were taken away since. */
export function submitterOf({ created_by }: JobRow): Caller {
  return { username: created_by, tokenHash: '' };
}

/** A transaction for the job, as long as it may take, under its lease. @throws LeaseLostError */
export async function underLease<Result>(
  { services, lease }: JobRun,
  work: (tx: Store) => Promise<Result>,
): Promise<Result> {
  return services.store.transaction(async (tx) => {
    await jobsIn(tx).hold(lease);
    return work(tx);
  });
}

/** Records in the audit log what a job did, or failed to do. */
export async function recordAct(
  store: Store,
  { services, job }: JobRun,
  act: Pick<AuditedAct, 'action' | 'object' | 'detail'> & { readonly failure?: JobFailure },
): Promise<void> {
  const context = { atMs: services.clock.now(), requestId: job.id, username: job.created_by };
  const { failure, ...done } = act;
  const outcome = failure === undefined ? { status: 200 } : { status: failure.status, code: failure.code };
  await auditIn(store).append(auditEntries(context, [{ ...done, ...outcome }]));
}

/** Records that the work has begun; a job taken over keeps the time of its first beginning. @throws LeaseLostError */
export async function recordStart({ services, job, lease }: JobRun): Promise<void> {
  const { store, clock, jobSignals } = services;
  const started_on = job.started_on ?? storedTime(clock.now());
  await jobsIn(store).record(lease, { state: 'RUNNING', started_on });
  jobSignals.tell('changed');
}

/** Records the end, inside the transaction that has the job's effect, if it has any. @throws LeaseLostError */
export async function recordEnd(
  store: Store,
  run: JobRun,
  end: { readonly result: unknown } | { readonly failure: JobFailure },
): Promise<void> {
  const { services, job, lease } = run;
  const failed = 'failure' in end;
  await jobsIn(store).record(lease, {
    state: isTransfer(job.kind) ? (failed ? 'FAILED' : 'COMPLETED') : 'FINISHED',
    ...(failed ? { error: JSON.stringify(end.failure) } : { result: JSON.stringify(end.result) }),
    finished_on: storedTime(services.clock.now()),
    leased_by: null,
    lease_until: null,
  });
}

/** How jobs of a kind are done. */
export interface JobWork<Services extends JobServices> {
  readonly run: (run: JobRun<Services>) => Promise<void>;
  /** Records that it failed. */
  readonly fail: (run: JobRun<Services>, failure: JobFailure) => Promise<void>;
}
