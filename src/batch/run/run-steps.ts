import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { JobTable } from '../../jobs/job-table.ts';
import { createWatches } from '../../jobs/watches.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { messageOf } from '../../lib/message-of.ts';
import { failed, type Item, NOT_SENT, type Outcome } from '../item.ts';
import { isUntold, type Step, stagedBy, toldItems } from '../step.ts';
import { touchedBy } from '../touched.ts';
import type { RunContext, Running } from './run-context.ts';
import { runJob } from './run-job.ts';
import { carry, makeLocalFolder } from './run-local.ts';
import { deleteFiles, makeFolder, removeLeftover, runSingle, takeName } from './run-single.ts';
import { runExports, runImports } from './run-transfers.ts';

/** Calls that are under way side by side. */
const CALLS_AT_ONCE = 4;
/** Files whose bytes are carried side by side. */
const FILES_AT_ONCE = 8;

/** One call, and what became of each of its items. */
type Work<I> = (items: readonly I[], context: RunContext) => Promise<readonly Outcome[]>;

/**
 * Runs the steps of a plan. An item that fails, fails alone. A call that fails ends the run, as an interrupt does: what
 * was not come to is told as not sent. Answers why it ended early: the failure of the call, or the signal's reason.
 */
export async function runSteps(steps: readonly Step[], running: Running): Promise<unknown> {
  const table = new JobTable(running.clock);
  const watches = createWatches({ api: running.api, clock: running.clock, table });
  const context = { ...running, watches };
  let stopped: unknown;
  try {
    for (const step of steps) {
      if (stopped === undefined && running.signal.aborted) stopped = running.signal.reason;
      if (stopped === undefined) stopped = await runStep(step, context);
      else for (const item of toldItems(step)) running.onOutcome(item, NOT_SENT);
    }
  } finally {
    for (const watch of Object.values(watches)) watch.close();
  }
  return stopped;
}

function runStep(step: Step, context: RunContext): Promise<unknown> {
  switch (step.kind) {
    case 'folders':
      return inCalls(step, step.items, 1, each(makeFolder), context);
    case 'delete':
      return inCalls(step, step.items, BULK_ITEMS_MAX, deleteFiles, context);
    case 'job':
      return inCalls<(typeof step.items)[number]>(
        step,
        step.items,
        BULK_ITEMS_MAX,
        (items, given) => runJob(step.operation, items, given),
        context,
      );
    case 'single':
      return inCalls(
        step,
        step.items,
        1,
        each((item, given) => runSingle(step.operation, item, given)),
        context,
      );
    case 'take-names':
      return inCalls(
        step,
        step.items,
        1,
        each((item, given) => takeName(item, step.atomic, given)),
        context,
      );
    case 'export':
      return inCalls(
        step,
        step.items,
        BULK_ITEMS_MAX,
        (items, given) => runExports(items, step.copyOnly, given),
        context,
      );
    case 'import':
      return inCalls(step, step.items, BULK_ITEMS_MAX, runImports, context);
    case 'upload':
    case 'download':
      return inCalls<(typeof step.items)[number]>(step, step.items, 1, each(carry), context, FILES_AT_ONCE);
    case 'local-folders':
      return inCalls(step, step.items, 1, each(makeLocalFolder), context, 1);
    case 'leftovers':
      // Inner ones go first.
      return inCalls(step, step.items, 1, each(removeLeftover), context, 1);
  }
}

function each<I>(work: (item: I, context: RunContext) => Promise<Outcome>): Work<I> {
  return (items, context) => Promise.all(items.map((item) => work(item, context)));
}

/** Answers why the run is to end with this step, if so. */
async function inCalls<I extends Item>(
  step: Step,
  items: readonly I[],
  groupSize: number,
  work: Work<I>,
  context: RunContext,
  atOnce = CALLS_AT_ONCE,
): Promise<unknown> {
  const tell = (item: I, outcome: Outcome): void => {
    const staged = stagedBy(item);
    if (staged !== undefined) staged.outcome = outcome;
    else if (!isUntold(item)) context.onOutcome(item, outcome);
  };
  let stopped: unknown;
  await forEachAtOnce(inGroups(items, groupSize), atOnce, async (group) => {
    const { signal } = context;
    if (stopped === undefined && signal.aborted) stopped = signal.reason;
    if (stopped !== undefined) {
      for (const item of group) tell(item, NOT_SENT);
      return;
    }
    try {
      const outcomes = await work(group, context);
      for (const [index, item] of group.entries())
        tell(item, outcomes[index] ?? failed('the answer does not tell of it'));
      if (signal.aborted && outcomes.some(({ kind }) => kind === 'not sent')) stopped ??= signal.reason;
      await context.onTouched(touchedBy(step, group));
    } catch (error) {
      stopped ??= error;
      // A change that was taken back before it was sent is not made.
      const isTakenBack = signal.aborted && error === signal.reason;
      const outcome = isTakenBack ? NOT_SENT : failed(`the call failed: ${messageOf(error)}`);
      for (const item of group) tell(item, outcome);
      if (!isTakenBack) await context.onTouched(touchedBy(step, group));
    }
  });
  return stopped;
}
