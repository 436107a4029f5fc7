import type { ErrorCode } from '../../contract/error-codes.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import type { HasClosing } from '../http/hang-up-signal.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import type { HasJobSignals } from './job-signals.ts';
import type { JobKind, JobRow } from './job-table.ts';
import { jobsIn } from './job-table.ts';

/** How often to look at jobs that other processes work on. */
const POLL_MS = 500;

export interface JobsWanted {
  readonly ids: readonly string[];
  readonly kind: JobKind;
  /** How long to hold the answer back for a change of state (capability `job_wait`). Default: not at all. */
  readonly waitSeconds?: number | undefined;
  /** Ends the wait, as when the caller has hung up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The caller's jobs of one kind, in the order of the ids; undefined for an id of no such job.
 *
 * With a wait, answers when the state of one of them changes, or when the time is over. It answers at once when one has
 * ended already: a caller need not wait for the slowest to hear of the fastest.
 */
export async function findJobs(
  services: HasStore & HasJobSignals & HasClosing & HasClock,
  caller: Caller,
  wanted: JobsWanted,
): Promise<readonly (JobRow | undefined)[]> {
  const { jobSignals, clock, closing } = services;
  const deadline = clock.monotonic() + (wanted.waitSeconds ?? 0) * 1000;
  let seen = jobSignals.count('changed');
  const first = await readJobs(services, caller, wanted);
  let jobs = first;
  const over = (): boolean =>
    clock.monotonic() >= deadline || closing.aborted || wanted.signal?.aborted === true;
  while (!hasNews(first, jobs) && !over()) {
    const ms = Math.min(POLL_MS, deadline - clock.monotonic());
    await jobSignals.after(seen, 'changed', { ms, ...(wanted.signal ? { signal: wanted.signal } : {}) });
    seen = jobSignals.count('changed');
    jobs = await readJobs(services, caller, wanted);
  }
  return jobs;
}

/** One job. @throws ServiceError `missing` */
export async function findJob(
  services: HasStore & HasJobSignals & HasClosing & HasClock,
  caller: Caller,
  wanted: Omit<JobsWanted, 'ids'> & { readonly id: string; readonly missing: ErrorCode },
): Promise<JobRow> {
  const [job] = await findJobs(services, caller, { ...wanted, ids: [wanted.id] });
  if (job === undefined) throw new ServiceError(wanted.missing);
  return job;
}

async function readJobs(
  { store }: HasStore,
  caller: Caller,
  { ids, kind }: JobsWanted,
): Promise<(JobRow | undefined)[]> {
  const rows = await jobsIn(store).findMany([...new Set(ids)]);
  const own = new Map(
    rows.filter((row) => row.kind === kind && row.created_by === caller.username).map((row) => [row.id, row]),
  );
  return ids.map((id) => own.get(id));
}

function hasNews(before: readonly (JobRow | undefined)[], now: readonly (JobRow | undefined)[]): boolean {
  return now.some(
    (job, i) => job === undefined || job.finished_on !== null || job.state !== before[i]?.state,
  );
}
