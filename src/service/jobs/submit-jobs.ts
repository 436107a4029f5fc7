import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { Caller } from '../http/caller.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { isTransfer } from './job-run.ts';
import type { HasJobSignals } from './job-signals.ts';
import type { JobKind, JobRow } from './job-table.ts';
import { jobsIn } from './job-table.ts';

/** A job that nobody has begun. */
export function newJob(
  { clock }: HasClock,
  caller: Caller,
  job: {
    readonly kind: JobKind;
    readonly about: Pick<JobRow, 'project_id' | 'volume_id'>;
    readonly request: object;
  },
): JobRow {
  return {
    id: randomId(),
    kind: job.kind,
    created_by: caller.username,
    state: isTransfer(job.kind) ? 'PENDING' : 'SUBMITTED',
    ...job.about,
    request: JSON.stringify(job.request),
    result: null,
    error: null,
    created_on: storedTime(clock.now()),
    started_on: null,
    finished_on: null,
    leased_by: null,
    lease_until: null,
    attempts: 0,
  };
}

/** Hands jobs over to the workers. */
export async function submitJobs(
  { store, jobSignals }: HasStore & HasJobSignals,
  jobs: readonly JobRow[],
): Promise<void> {
  await jobsIn(store).insert(jobs);
  jobSignals.tell('work');
}
