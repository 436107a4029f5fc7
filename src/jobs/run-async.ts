import type { Place } from '../api/api.ts';
import type { AsyncFileJob, EntryRecord } from '../api/model.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { JobError } from './job-error.ts';
import { failureOf } from './job-kinds.ts';
import type { NewJob } from './job-table.ts';
import type { RunContext } from './run-context.ts';

export interface AsyncWork {
  readonly kind: AsyncFileJob['kind'];
  /** Ids of files or folders, at most 100. */
  readonly files: readonly string[];
  /** Where to; a deletion goes nowhere. */
  readonly to?: Place;
}

/** One asynchronous job on files or folders, until it is over. The job that was over is answered. */
export async function runAsync(
  work: AsyncWork,
  context: Pick<RunContext, 'api' | 'table' | 'watches' | 'signal'> & {
    readonly paths: Pick<NewJob, 'source' | 'target'>;
  },
): Promise<AsyncFileJob> {
  const { api, table, signal } = context;
  const watch = context.watches[work.kind];
  const start = async (): Promise<string> => {
    const { id } = await api.asyncFiles.start(
      work.kind,
      work.files.map((file) => ({ file, ...work.to })),
    );
    table.add({ id, kind: work.kind, ...context.paths });
    watch.add([id]);
    return id;
  };
  signal?.throwIfAborted();
  const jobId = await untilAborted(start(), signal);
  const finished = await watch.wait(jobId, signal);
  const failure = failureOf(finished);
  if (failure !== undefined || !finished.ok) {
    throw new JobError(work.kind, failure ?? UNKNOWN, { jobId });
  }
  return finished.value;
}

const UNKNOWN = { status: 500, code: 0, message: 'the platform knows the job no more' };

/** A move or copy of one entry, answered as it is now. */
export async function runAsyncTransfer(
  work: AsyncWork & { readonly to: Place },
  context: RunContext,
): Promise<EntryRecord> {
  const job = await runAsync(work, context);
  const [first] = job.results;
  const entry = first?.ok ? first.value : undefined;
  if (entry && entry.parent === work.to.parent && job.results.length === 1) {
    return entry;
  }
  const found = await context.api.files.find(work.to, { signal: context.signal });
  if (!found) {
    throw new JobError(
      work.kind,
      { ...UNKNOWN, message: 'the job is over, and its result is not there' },
      { jobId: job.id },
    );
  }
  return found;
}
