import type { AsyncFileJob } from '../../api/model.ts';
import { type FinishedAsync, failureOf } from '../../jobs/finished-job.ts';
import { DONE, failed, type Outcome } from '../item.ts';
import type { Deletion, Transition } from '../step.ts';
import type { RunContext } from './run-context.ts';
import { placeOf } from './run-single.ts';

const LOST = failed(
  'whether its job was started is not known, as the answer was lost: look, and run it again',
);

/** One job on files and folders, until it is over. */
export async function runJob(
  operation: AsyncFileJob['kind'],
  items: readonly (Deletion | Transition)[],
  { api, watches, signal }: RunContext,
): Promise<readonly Outcome[]> {
  const orders = items.map((item) => orderOf(item));
  const sent = orders.filter((order) => order !== undefined);
  if (sent.length === 0) return items.map(() => failed('the folder that it goes to could not be made'));
  const job = await api.asyncFiles.start(operation, sent);
  if (job.isGuess) return items.map(() => LOST);
  const watch = watches[operation];
  watch.add([job.id]);
  const finished = await waitFor(watch.wait(job.id, signal), signal);
  if (finished === undefined) {
    const reason = `job ${job.id} goes on at the platform`;
    return items.map(() => ({ kind: 'goes on', reason }));
  }
  const outcomes = outcomesOf(finished, sent.length);
  let next = 0;
  return items.map((item, index) => {
    if (orders[index] === undefined) return failed('the folder that it goes to could not be made');
    const at = next;
    next += 1;
    const result = finished.ok ? finished.value.results[at] : undefined;
    if ('made' in item && item.made && result?.ok === true) item.made.id = result.value?.id;
    return outcomes[at] ?? failed('the job does not tell of it');
  });
}

function orderOf(
  item: Deletion | Transition,
): { readonly file: string; readonly parent?: string; readonly name?: string } | undefined {
  if (!('to' in item)) return { file: item.id };
  const place = placeOf(item.to);
  return place && { file: item.id, ...place };
}

/** Undefined when the interrupt came first. */
export async function waitFor<J>(job: Promise<J>, signal: AbortSignal): Promise<J | undefined> {
  try {
    return await job;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined;
    throw error;
  }
}

/** Of the items in their order, where the job tells of each; else of all the same. */
function outcomesOf(finished: FinishedAsync, count: number): readonly Outcome[] {
  const failure = failureOf(finished);
  if (finished.ok && finished.value.results.length === count)
    return finished.value.results.map((each) => (each.ok ? DONE : failed(each.failure.message)));
  return Array.from({ length: count }, () => (failure ? failed(failure.message) : DONE));
}
