/** The watch of each kind of job: how its jobs are asked about, and what their answers mean. */
import type { Api } from '../api/api.ts';
import { ApiError } from '../api/errors.ts';
import type { AsyncFileJob, TransferJob } from '../api/model.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { type FinishedAsync, type FinishedTransfer, failureOf } from './finished-job.ts';
import type { JobTable } from './job-table.ts';
import { type JobSource, JobWatch, type Watched } from './job-watch.ts';

const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;

export interface Watches {
  readonly import: JobWatch<FinishedTransfer>;
  readonly export: JobWatch<FinishedTransfer>;
  readonly copy: JobWatch<FinishedAsync>;
  readonly move: JobWatch<FinishedAsync>;
  readonly delete: JobWatch<FinishedAsync>;
}

interface WatchContext {
  readonly api: Pick<Api, 'transfers' | 'asyncFiles' | 'capabilities'>;
  readonly clock: Clock;
  readonly table: JobTable;
}

export function createWatches(context: WatchContext): Watches {
  return {
    import: transferWatch(context, 'import'),
    export: transferWatch(context, 'export'),
    copy: asyncWatch(context, 'copy'),
    move: asyncWatch(context, 'move'),
    delete: asyncWatch(context, 'delete'),
  };
}

function transferWatch(context: WatchContext, kind: TransferJob['kind']): JobWatch<FinishedTransfer> {
  return watchOf(context, {
    groupSize: BULK_ITEMS_MAX,
    ask: async (ids, options) =>
      (await context.api.transfers.get(kind, ids, options)).map((job) =>
        isUntold(job)
          ? undefined
          : {
              job,
              state: job.ok ? job.value.state : 'FAILED',
              isOver: !job.ok || job.value.state === 'COMPLETED' || job.value.state === 'FAILED',
            },
      ),
  });
}

/** Of a job that is no more, or that may not be asked about, the service says so; everything else may be another the next time. */
function isUntold(job: FinishedTransfer): boolean {
  return !job.ok && (job.failure.status === TOO_MANY_REQUESTS || job.failure.status >= SERVER_ERRORS);
}

/** These jobs are asked about one by one: the API has no bulk call for them. */
function asyncWatch(context: WatchContext, kind: AsyncFileJob['kind']): JobWatch<FinishedAsync> {
  return watchOf(context, {
    groupSize: 1,
    ask: async (ids, options) =>
      Promise.all(
        ids.map(async (id) => {
          const job = await asBulkResult(context.api.asyncFiles.get(kind, id, options));
          const state = job.ok ? job.value.state : 'FAILED';
          return { job, state, isOver: !job.ok || state === 'FINISHED' };
        }),
      ),
  });
}

function watchOf<J extends FinishedTransfer | FinishedAsync>(
  { api, clock, table }: WatchContext,
  source: Pick<JobSource<J>, 'groupSize' | 'ask'>,
): JobWatch<J> {
  return new JobWatch(
    {
      ...source,
      canHoldBack: async () => (await api.capabilities()).has('job_wait'),
      onAnswer: (id, watched) => record(table, id, watched),
    },
    clock,
  );
}

/** A job that is no more is a failed one; every other error is one of asking. */
async function asBulkResult(asking: Promise<AsyncFileJob>): Promise<FinishedAsync> {
  try {
    return { ok: true, value: await asking };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return { ok: false, failure: { status: error.status, code: error.code, message: error.message } };
    }
    throw error;
  }
}

function record(table: JobTable, id: string, watched: Watched<FinishedTransfer | FinishedAsync>): void {
  if (!watched.isOver) {
    const isPending = watched.state === 'PENDING' || watched.state === 'SUBMITTED';
    table.update(id, isPending ? 'pending' : 'running', undefined);
    return;
  }
  const failure = failureOf(watched.job);
  table.update(id, failure ? 'failed' : 'done', failure);
}
