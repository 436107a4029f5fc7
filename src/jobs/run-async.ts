import type { StartedJob } from '../api/api.ts';
import type { Place } from '../api/call-options.ts';
import type { AsyncFileJob, EntryRecord } from '../api/model.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { type FinishedAsync, failureOf } from './finished-job.ts';
import { JobError } from './job-error.ts';
import type { NewJob } from './job-table.ts';
import type { RunContext } from './run-context.ts';
import type { Work } from './works.ts';

type AsyncContext = Pick<RunContext, 'api' | 'table' | 'works' | 'watches' | 'signal'> & {
  readonly paths: Pick<NewJob, 'source' | 'target'>;
};

/**
 * One asynchronous job on files or folders, until it is over. The job that was over is answered.
 *
 * When the answer to its start was lost, the job that was found may be another client's. Then ours was not started: it is,
 * for what is left to do.
 */
export async function runAsync(work: AsyncWork, context: AsyncContext): Promise<AsyncFileJob> {
  const { kind } = work;
  const { paths, works } = context;
  const shown: Work = works.begin({
    kind,
    ...paths,
    items: [paths],
    again: () => run(work, { ...context, signal: undefined, shown }),
  });
  return run(work, { ...context, shown });
}

async function run(work: AsyncWork, context: AsyncContext & { readonly shown: Work }): Promise<AsyncFileJob> {
  let { files } = work;
  for (let guesses = 0; guesses < GUESSES_MAX; guesses += 1) {
    const { started, finished } = await startAndWait({ ...work, files }, context);
    if (!started.isGuess) {
      return successOf(finished, started);
    }
    files = await leftToDo({ ...work, files }, finished, context);
    if (files.length === 0) {
      // The rest of the answer may be about other files.
      return { ...started, results: [] };
    }
    context.table.drop(started.id);
  }
  throw new JobError(work.kind, NOT_STARTED, {});
}

const GUESSES_MAX = 2;

async function startAndWait(
  work: AsyncWork,
  { api, table, watches, signal, paths, shown }: AsyncContext & { readonly shown: Work },
): Promise<{ readonly started: StartedJob; readonly finished: FinishedAsync }> {
  const watch = watches[work.kind];
  const start = async (): Promise<StartedJob> => {
    const job = await api.asyncFiles.start(
      work.kind,
      work.files.map((file) => ({ file, ...work.to })),
    );
    table.add({ id: job.id, kind: work.kind, ...paths });
    const [item] = shown.items;
    if (item) shown.started(item, job.id);
    watch.add([job.id]);
    return job;
  };
  signal?.throwIfAborted();
  const started = await untilAborted(start(), signal);
  return { started, finished: await watch.wait(started.id, signal) };
}

function successOf(finished: FinishedAsync, { id, kind }: StartedJob): AsyncFileJob {
  const failure = failureOf(finished);
  if (finished.ok && failure === undefined) {
    return finished.value;
  }
  throw new JobError(kind, failure ?? NO_RESULT, { jobId: id });
}

const NOT_STARTED = { status: 500, code: 0, message: 'the job is not known to have started' };
const NO_RESULT = { status: 500, code: 0, message: 'the job is over, and its result is not there' };

/** A move or copy of one entry, answered as it is now: under another name than was asked for, where that was taken. */
export async function runAsyncTransfer(
  work: AsyncWork & { readonly to: Place },
  context: RunContext,
): Promise<EntryRecord> {
  const job = await runAsync(work, context);
  const [first] = job.results;
  const entry = first?.ok ? first.value : undefined;
  if (entry && isResult(entry, work) && job.results.length === 1) {
    return entry;
  }
  const found = await lookFor(work, context);
  if (!found) {
    throw new JobError(work.kind, NO_RESULT, { jobId: job.id });
  }
  return found;
}

/** Another client's entry may have the name; a moved file is then known by its id. */
async function lookFor(
  work: AsyncWork & { readonly to: Place },
  { api, signal }: RunContext,
): Promise<EntryRecord | undefined> {
  const named = await api.files.find(work.to, { signal });
  if (named && isResult(named, work)) {
    return named;
  }
  const [moved] = work.kind === 'move' ? await api.files.bulkGet(work.files, { signal }) : [];
  return moved?.ok && isResult(moved.value, work) ? moved.value : undefined;
}

/**
 * The entries of a request that are still to do, after a job that may be another client's is over. A job does not tell
 * its request, so this looks at the entries. A copy leaves them as they were, so this looks at its results.
 */
async function leftToDo(
  work: AsyncWork,
  job: FinishedAsync,
  { api, signal }: Pick<RunContext, 'api' | 'signal'>,
): Promise<readonly string[]> {
  if (work.kind === 'copy') {
    const results = job.ok ? job.value.results : [];
    return results.some((each) => each.ok && each.value && isResult(each.value, work)) ? [] : work.files;
  }
  const entries = await api.files.bulkGet(work.files, { signal });
  return work.files.filter((_, index) => {
    const entry = entries[index];
    if (!entry?.ok) {
      return entry?.failure.status !== 404;
    }
    return !isResult(entry.value, work);
  });
}

interface AsyncWork {
  readonly kind: AsyncFileJob['kind'];
  /** Ids of files or folders, at most 100. */
  readonly files: readonly string[];
  /** Where to; a deletion goes nowhere. */
  readonly to?: Place;
}

/** Whether an entry can be what a move or copy made: a moved file keeps its id, all else has the name asked for. */
function isResult(entry: EntryRecord, { kind, files, to }: AsyncWork): boolean {
  if (!to || entry.parent !== to.parent) {
    return false;
  }
  return kind === 'move' && entry.kind === 'file' ? files.includes(entry.id) : isNamed(entry.name, to.name);
}

/** Where the name was taken the platform has put a number before it. */
function isNamed(name: string, asked: string): boolean {
  return name === asked || (name.endsWith(`_${asked}`) && /^_\d+_$/.test(name.slice(0, -asked.length)));
}
