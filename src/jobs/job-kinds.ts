import type { Api } from '../api/api.ts';
import { ApiError } from '../api/errors.ts';
import type { AsyncFileJob, BulkResult, Failure, TransferJob } from '../api/model.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { JobTable } from './job-table.ts';
import { JobWatch, type Watched } from './job-watch.ts';

export interface Watches {
  readonly import: JobWatch<FinishedTransfer>;
  readonly export: JobWatch<FinishedTransfer>;
  readonly copy: JobWatch<FinishedAsync>;
  readonly move: JobWatch<FinishedAsync>;
  readonly delete: JobWatch<FinishedAsync>;
}

/** A job that is over; a failure may also be that the platform knows the job no more. */
export type FinishedTransfer = BulkResult<TransferJob>;
export type FinishedAsync = BulkResult<AsyncFileJob>;

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
  const { api, clock, table } = context;
  return new JobWatch(
    {
      groupSize: BULK_ITEMS_MAX,
      canHoldBack: () => canHoldBack(api),
      onAnswer: (id, watched) => record(table, id, watched),
      ask: async (ids, options) =>
        (await api.transfers.get(kind, ids, options)).map((job) => ({
          job,
          state: job.ok ? job.value.state : 'FAILED',
          isOver: !job.ok || job.value.state === 'COMPLETED' || job.value.state === 'FAILED',
        })),
    },
    clock,
  );
}

/** These jobs are asked about one by one: the API has no bulk call for them. */
function asyncWatch(context: WatchContext, kind: AsyncFileJob['kind']): JobWatch<FinishedAsync> {
  const { api, clock, table } = context;
  return new JobWatch(
    {
      groupSize: 1,
      canHoldBack: () => canHoldBack(api),
      onAnswer: (id, watched) => record(table, id, watched),
      ask: async (ids, options) =>
        Promise.all(
          ids.map(async (id) => {
            const job = await asBulkResult(api.asyncFiles.get(kind, id, options));
            const state = job.ok ? job.value.state : 'FAILED';
            return { job, state, isOver: !job.ok || state === 'FINISHED' };
          }),
        ),
    },
    clock,
  );
}

async function canHoldBack(api: Pick<Api, 'capabilities'>): Promise<boolean> {
  return (await api.capabilities()).has('job_wait');
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
    table.update(
      id,
      watched.state === 'PENDING' || watched.state === 'SUBMITTED' ? 'pending' : 'running',
      undefined,
    );
    return;
  }
  const failure = failureOf(watched.job);
  table.update(id, failure ? 'failed' : 'done', failure);
}

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
