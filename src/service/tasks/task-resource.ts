import type { ExecutionDetails, ExecutionStatus, TaskResource } from '../../contract/task.ts';
import type { TaskStatus } from '../../contract/words.ts';
import { type ChargeRow, chargesIn, costOfTask } from '../billing/billing.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Store } from '../store/store.ts';
import { apiTime } from '../store/stored-time.ts';
import { taskDetails } from './task-details.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

const MESSAGES: Readonly<Record<TaskStatus, string>> = {
  DRAFT: 'The task is a draft.',
  CREATING: 'The task is being created.',
  QUEUED: 'The task is waiting to be run.',
  RUNNING: 'The task is running.',
  COMPLETED: 'The task has completed.',
  ABORTING: 'The task is being aborted.',
  ABORTED: 'The task was aborted.',
  FAILED: 'The task has failed.',
};

export async function taskAnswer(store: Store, task: TaskRow, view: RequestView): Promise<TaskResource> {
  const [answer] = await taskAnswers(store, [task], view);
  return answer ?? taskResource(task, { view, waiting: 0 });
}

/** In the same order; three queries for any number of tasks. */
export async function taskAnswers(
  store: Store,
  tasks: readonly TaskRow[],
  view: RequestView,
): Promise<TaskResource[]> {
  const batches = tasks.filter((task) => task.is_batch === 1).map(({ id }) => id);
  const counts = await tasksIn(store).childStatuses(batches);
  const charges = await chargesIn(store).ofTasks(tasks.map(({ id }) => id));
  const waiting = await tasksIn(store).waiting(tasks.map(({ id }) => id));
  const chargeOf = new Map(charges.map((charge) => [charge.task_id, charge]));
  return tasks.map((task) =>
    taskResource(task, {
      view,
      counts: counts.get(task.id),
      charge: chargeOf.get(task.id),
      waiting: waiting.get(task.id) ?? 0,
    }),
  );
}

interface Surroundings {
  readonly view: RequestView;
  /** Of the tasks of a batch. */
  readonly counts?: ReadonlyMap<TaskStatus, number> | undefined;
  readonly charge?: ChargeRow | undefined;
  /** Of the task, or of those of the batch: how many run that no worker has begun. */
  readonly waiting: number;
}

function taskResource(task: TaskRow, surroundings: Surroundings): TaskResource {
  const { id, name, status, executed_by, start_time, end_time, parent_id, origin_id } = task;
  const { view, charge } = surroundings;
  const { errors, execution, ...details } = taskDetails(task);
  return {
    href: view.href(`/tasks/${id}`),
    id,
    name,
    status,
    project: task.project_id,
    app: `${task.app_id}/${task.app_revision}`,
    type: 'v2',
    created_by: task.created_by,
    created_time: apiTime(task.created_on),
    ...(executed_by === null ? {} : { executed_by }),
    ...(start_time === null ? {} : { start_time: apiTime(start_time) }),
    ...(end_time === null ? {} : { end_time: apiTime(end_time) }),
    ...details,
    batch: task.is_batch === 1,
    ...(parent_id === null ? {} : { parent: parent_id }),
    ...(origin_id === null ? {} : { origin_id }),
    errors: [...errors],
    warnings: [...(execution?.warnings ?? [])],
    execution_status: executionStatus(task, surroundings),
    ...(charge === undefined ? {} : { price: costOfTask(charge.amount_micros) }),
  };
}

/** The tools that ran, as far as the executor has told. */
export function executionDetails(task: TaskRow, view: RequestView): ExecutionDetails {
  const { id, status, start_time, end_time } = task;
  return {
    href: view.href(`/tasks/${id}/execution_details`),
    status,
    message: messageOf(task),
    ...(start_time === null ? {} : { start_time: apiTime(start_time) }),
    ...(end_time === null ? {} : { end_time: apiTime(end_time) }),
    jobs: [...(taskDetails(task).execution?.jobs ?? [])],
  };
}

function messageOf(task: TaskRow): string {
  const message = MESSAGES[task.status as TaskStatus];
  const [reason] = task.status === 'FAILED' ? taskDetails(task).errors : [];
  return reason === undefined ? message : `${message} ${reason}`;
}

function executionStatus(task: TaskRow, { counts, waiting }: Surroundings): ExecutionStatus {
  return {
    message: messageOf(task),
    ...durations(task),
    ...(counts === undefined ? ownCounts(task, waiting) : batchCounts(counts, waiting)),
  };
}

/** Of one task: whether it waits in a queue, and how far it is. */
function ownCounts(task: TaskRow, waiting: number): Partial<ExecutionStatus> {
  const { stepsTotal, stepsCompleted } = taskDetails(task).execution ?? {};
  return {
    ...(task.status === 'RUNNING' ? { queued: waiting, running: 1 - waiting } : {}),
    ...(stepsTotal === undefined ? {} : { steps_total: stepsTotal, steps_completed: stepsCompleted ?? 0 }),
  };
}

function batchCounts(counts: ReadonlyMap<TaskStatus, number>, waiting: number): Partial<ExecutionStatus> {
  const of = (...statuses: TaskStatus[]): number =>
    statuses.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  return {
    queued: of('CREATING', 'QUEUED') + waiting,
    running: of('RUNNING', 'ABORTING') - waiting,
    completed: of('COMPLETED'),
    failed: of('FAILED'),
    aborted: of('ABORTED'),
  };
}

function durations(task: TaskRow): Partial<ExecutionStatus> {
  const { start_time, end_time } = task;
  if (start_time === null) return {};
  const begun = taskDetails(task).execution?.begun;
  const running =
    begun === undefined || end_time === null ? {} : { running_duration: msBetween(begun, end_time) };
  return {
    ...(end_time === null ? {} : { duration: msBetween(start_time, end_time) }),
    ...(begun === undefined ? {} : { queued_duration: msBetween(start_time, begun) }),
    ...running,
    ...('running_duration' in running ? { execution_duration: running.running_duration } : {}),
  };
}

function msBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
