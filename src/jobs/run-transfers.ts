import type { BulkResult, Failure, FileRecord, TransferJob } from '../api/model.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import { inGroups } from '../lib/in-groups.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { type FinishedTransfer, failureOf } from './finished-job.ts';
import { JobError } from './job-error.ts';
import type { JobTable } from './job-table.ts';
import type { JobWatch } from './job-watch.ts';
import type { RunContext } from './run-context.ts';
import type { Work, WorkItem } from './works.ts';

/** One import or export to be made. */
export interface Transfer<R> {
  readonly request: R;
  /** Below what is moved or copied; empty for a single file or object. */
  readonly path: string;
  readonly paths: { readonly source: string; readonly target: string };
  /** Set by `runAsWork`. */
  readonly item?: WorkItem;
}

export interface TransferRun<R> {
  readonly kind: TransferJob['kind'];
  readonly start: (requests: readonly R[]) => Promise<readonly BulkResult<TransferJob>[]>;
  /** The file that a request was to make, when it is there in spite of the failure. */
  readonly alreadyDone: (request: R, failure: Failure) => Promise<FileRecord | undefined>;
  /** The file that a finished request made, when its job does not tell. */
  readonly resultOf: (request: R) => Promise<FileRecord | undefined>;
  readonly table: JobTable;
  readonly watch: JobWatch<FinishedTransfer>;
  readonly signal: AbortSignal | undefined;
  /** Set by `runAsWork`. */
  readonly work?: Work;
}

/** As `runTransfers`. To people all of them are one job, whose failed ones can be done again. */
export async function runAsWork<R>(
  transfers: readonly Transfer<R>[],
  run: TransferRun<R>,
  { works, paths }: Pick<RunContext, 'works' | 'paths'>,
): Promise<readonly (FileRecord | undefined)[]> {
  const work = works.begin({
    kind: run.kind,
    ...paths,
    items: transfers.map((transfer) => transfer.paths),
    again: (failed) =>
      runTransfers(
        items.filter(({ item }) => item !== undefined && failed.includes(item)),
        { ...run, work, signal: undefined },
      ),
  });
  const items = transfers.map((transfer, index) => {
    const item = work.items[index];
    return item ? { ...transfer, item } : transfer;
  });
  try {
    return await runTransfers(items, { ...run, work });
  } finally {
    work.closed();
  }
}

/**
 * Starts transfers in bulk calls, waits once for all of them, and answers the files they made, in their order.
 * When some fail, or cannot be started, the others are still waited for; then the first failure is the result of all.
 *
 * An aborted run starts no further bulk call; what it started goes on and is watched.
 */
export async function runTransfers<R>(
  transfers: readonly Transfer<R>[],
  run: TransferRun<R>,
): Promise<readonly (FileRecord | undefined)[]> {
  const settled: Promise<Settled>[] = [];
  try {
    for (const group of inGroups(transfers, BULK_ITEMS_MAX)) {
      run.signal?.throwIfAborted();
      if (run.work?.isCancelled) {
        settled.push(...group.map(({ path }) => Promise.resolve(cancelled(path))));
        continue;
      }
      const started = await untilAborted(startGroup(group, run), run.signal);
      settled.push(...started);
    }
  } finally {
    // A caller that learns of a failure looks at the results: no more may come after that.
    await untilAborted(Promise.allSettled(settled), run.signal);
  }
  const results = await Promise.all(settled);
  const failed = results.flatMap((each) => (each.ok ? [] : [each]));
  const [first] = failed;
  if (first) {
    const { failure, jobId, path } = first;
    throw new JobError(run.kind, failure, { jobId, path, more: failed.length - 1 });
  }
  return results.map((each) => (each.ok ? each.file : undefined));
}

type Settled =
  | { readonly ok: true; readonly file: FileRecord | undefined }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly jobId: string | undefined;
      readonly path: string;
    };

/** Resolves when the group is started; each result settles when its job is over. */
async function startGroup<R>(
  group: readonly Transfer<R>[],
  run: TransferRun<R>,
): Promise<readonly Promise<Settled>[]> {
  const answers = await run.start(group.map(({ request }) => request));
  const jobIds = answers.map((answer) => (answer.ok ? answer.value.id : undefined));
  group.forEach(({ paths, item }, index) => {
    const id = jobIds[index];
    if (id !== undefined) {
      run.table.add({ id, kind: run.kind, ...paths });
      if (item) run.work?.started(item, id);
    }
  });
  run.watch.add(jobIds.filter((id) => id !== undefined));
  return group.map((transfer, index) => {
    const result = settle(transfer, answers[index], run);
    // An aborted run leaves its results to nobody.
    result.catch(() => {});
    return result;
  });
}

async function settle<R>(
  { request, path, item }: Transfer<R>,
  answer: BulkResult<TransferJob> | undefined,
  run: TransferRun<R>,
): Promise<Settled> {
  const submitted = answer ?? { ok: false, failure: UNANSWERED };
  const finished = submitted.ok ? await run.watch.wait(submitted.value.id, run.signal) : submitted;
  const failure = failureOf(finished);
  if (failure === undefined) {
    const made = finished.ok ? finished.value.result : undefined;
    return { ok: true, file: made ?? (await run.resultOf(request)) };
  }
  const file = await run.alreadyDone(request, failure);
  if (item) run.work?.ended(item, file ? undefined : failure);
  return file
    ? { ok: true, file }
    : { ok: false, failure, jobId: submitted.ok ? submitted.value.id : undefined, path };
}

function cancelled(path: string): Settled {
  return { ok: false, failure: CANCELLED, jobId: undefined, path };
}

const CANCELLED: Failure = { status: 0, code: 0, message: 'cancelled before it began' };
const UNANSWERED: Failure = { status: 500, code: 0, message: 'the service did not answer for this job' };
