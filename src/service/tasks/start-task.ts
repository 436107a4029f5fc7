import type { HasClock } from '../../lib/clock.ts';
import { appsIn } from '../apps/apps.ts';
import { type ChargeRow, chargesIn } from '../billing/billing.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import { projectsIn } from '../members/members.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { endTask, settleBatch } from './end-task.ts';
import type { HasExecutor } from './executor.ts';
import { executableTask } from './task-access.ts';
import { isAbortable, type TaskDetails, taskDetails } from './task-details.ts';
import { taskFiles } from './task-files.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

interface Run {
  readonly id: string;
  /** Left out: as the task has it. */
  readonly interruptible?: boolean | undefined;
  /** False: as one task, although it is a batch. */
  readonly batch?: boolean | undefined;
}

/**
 * Sets a draft RUNNING, with the tasks of its batch, and gives it to the executor, all in one transaction. A batch is run
 * as a whole.
 *
 * @throws ServiceError 7005, 7002, 7001, 7007 when it is no draft, or one of a batch, 7010 when an input is missing
 */
export async function runTask(
  { store, clock, executor, jobSignals }: HasStore & HasJobSignals & HasExecutor & HasClock,
  caller: Caller,
  run: Run,
): Promise<TaskRow> {
  const { id } = await executableTask(store, caller, run.id);
  const start = { executed_by: caller.username, start_time: storedTime(clock.now()) };
  const started = await store.transaction(async (tx) => {
    const task = await tasksIn(tx).find(id);
    if (task === undefined) throw new ServiceError(7002);
    if (task.status !== 'DRAFT') throw new ServiceError(7007);
    if (task.parent_id !== null)
      throw new ServiceError(7007, 'The task is run with the batch it belongs to.');
    const { details, isBatch } = await settled(tx, task, run);
    const children = isBatch ? await tasksIn(tx).children(id) : [];
    await checkRunnable(tx, caller, [details, ...children.map(taskDetails)]);
    const status = { status: 'RUNNING', ...start };
    const row: TaskRow = { ...task, ...status, is_batch: isBatch ? 1 : 0, details: JSON.stringify(details) };
    await tasksIn(tx).update(id, row);
    for (const child of children) await tasksIn(tx).update(child.id, status);
    const running = isBatch ? children.map((child) => ({ ...child, ...status })) : [row];
    await chargesIn(tx).insert(await newCharges(tx, running));
    await executor.submit(tx, running);
    return row;
  });
  jobSignals.tell('work');
  return started;
}

/** The details the task is run with; a batch that is to be one task loses its parts. */
async function settled(
  tx: Store,
  task: TaskRow,
  { interruptible, batch = true }: Run,
): Promise<{ readonly details: TaskDetails; readonly isBatch: boolean }> {
  const { batch_by, batch_input, ...rest } = taskDetails(task);
  const details = { ...rest, use_interruptible_instances: interruptible ?? rest.use_interruptible_instances };
  if (task.is_batch === 1 && batch) {
    return {
      details: { ...details, ...(batch_by ? { batch_by } : {}), ...(batch_input ? { batch_input } : {}) },
      isBatch: true,
    };
  }
  await tasksIn(tx).deleteChildren(task.id);
  return { details, isBatch: false };
}

/** Parts of a valid draft may have gone since. @throws ServiceError 7010 */
async function checkRunnable(tx: Store, caller: Caller, tasks: readonly TaskDetails[]): Promise<void> {
  const errors = [...new Set(tasks.flatMap((task) => task.errors))];
  if (errors.length > 0) throw new ServiceError(7010, `The task cannot be run. ${errors.join(' ')}`);
  const [first] = tasks;
  try {
    await taskFiles(tx, caller, first?.inputs ?? {});
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(7010, error.message, { cause: error });
    throw error;
  }
}

/** Nothing is spent yet, but from now on the task is in the books of the group that its project is billed to. */
async function newCharges(tx: Store, tasks: readonly TaskRow[]): Promise<ChargeRow[]> {
  const [first] = tasks;
  if (first === undefined) return [];
  const project = await projectsIn(tx).find(first.project_id);
  const app = await appsIn(tx).find(first.app_id);
  return tasks.map((task) => ({
    task_id: task.id,
    billing_group: project?.billing_group ?? null,
    project_id: task.project_id,
    project_name: project?.name ?? '',
    task_name: task.name,
    app_name: app?.name ?? '',
    ran_by: task.executed_by ?? '',
    status: task.status,
    time_started: task.start_time ?? '',
    time_finished: null,
    amount_micros: 0,
    refunded_micros: 0,
  }));
}

/** Ends a running task, with those of its batch that run. @throws ServiceError 7005, 7002, 7001, 7008 */
export async function abortTask(
  { store, clock, executor, jobSignals }: HasStore & HasJobSignals & HasExecutor & HasClock,
  caller: Caller,
  taskId: string,
): Promise<TaskRow> {
  const { id } = await executableTask(store, caller, taskId);
  const now = storedTime(clock.now());
  const aborted = await store.transaction(async (tx) => {
    const task = await tasksIn(tx).find(id);
    if (task === undefined) throw new ServiceError(7002);
    if (!isAbortable(task.status)) throw new ServiceError(7008);
    const children = (await tasksIn(tx).children(id)).filter(({ status }) => isAbortable(status));
    const running = task.is_batch === 1 ? children : [task];
    const stopping = await executor.abort(
      tx,
      running.map((each) => each.id),
      now,
    );
    if (task.is_batch === 1) await tasksIn(tx).update(id, { status: 'ABORTING' });
    for (const each of running) {
      if (!stopping.has(each.id)) await endTask(tx, each, { status: 'ABORTED', now });
      else {
        await tasksIn(tx).update(each.id, { status: 'ABORTING' });
        await chargesIn(tx).update(each.id, { status: 'ABORTING' });
      }
    }
    if (task.is_batch === 1) await settleBatch(tx, id, now);
    return tasksIn(tx).find(id);
  });
  jobSignals.tell('changed');
  if (aborted === undefined) throw new ServiceError(7002);
  return aborted;
}
