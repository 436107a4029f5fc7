import type { ExecutionDetails, ExecutionStatus, TaskResource, TaskStatus } from '../../contract/task.ts';
import { apiTime } from '../api-time.ts';
import type { RequestView } from '../http/request-view.ts';
import { taskDetails } from '../rules/task-details.ts';
import type { ChargeRow } from '../store/charges.ts';
import type { Store } from '../store/store.ts';
import type { TaskRow } from '../store/tasks.ts';
import { money } from './money.ts';

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
  return answer ?? taskResource(task, { view });
}

/** In the same order; two queries for any number of tasks. */
export async function taskAnswers(
  store: Store,
  tasks: readonly TaskRow[],
  view: RequestView,
): Promise<TaskResource[]> {
  const batches = tasks.filter((task) => task.is_batch === 1).map(({ id }) => id);
  const counts = await store.tasks.childStatuses(batches);
  const charges = await store.charges.ofTasks(tasks.map(({ id }) => id));
  const chargeOf = new Map(charges.map((charge) => [charge.task_id, charge]));
  return tasks.map((task) =>
    taskResource(task, { view, counts: counts.get(task.id), charge: chargeOf.get(task.id) }),
  );
}

interface Surroundings {
  readonly view: RequestView;
  /** Of the tasks of a batch. */
  readonly counts?: ReadonlyMap<TaskStatus, number> | undefined;
  readonly charge?: ChargeRow | undefined;
}

function taskResource(task: TaskRow, { view, counts, charge }: Surroundings): TaskResource {
  const { id, name, status, executed_by, start_time, end_time, parent_id, origin_id } = task;
  const { errors, ...details } = taskDetails(task);
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
    warnings: [],
    execution_status: executionStatus(task, counts),
    ...(charge === undefined ? {} : { price: money(charge.amount) }),
  };
}

/** What ran, as far as the executor has said. */
export function executionDetails(task: TaskRow, view: RequestView): ExecutionDetails {
  const { id, status, start_time, end_time } = task;
  return {
    href: view.href(`/tasks/${id}/execution_details`),
    status,
    message: MESSAGES[status as TaskStatus],
    ...(start_time === null ? {} : { start_time: apiTime(start_time) }),
    ...(end_time === null ? {} : { end_time: apiTime(end_time) }),
    jobs: [],
  };
}

function executionStatus(
  task: TaskRow,
  counts: ReadonlyMap<TaskStatus, number> | undefined,
): ExecutionStatus {
  const { status, start_time, end_time } = task;
  const of = (...statuses: TaskStatus[]): number =>
    statuses.reduce((sum, one) => sum + (counts?.get(one) ?? 0), 0);
  return {
    message: MESSAGES[status as TaskStatus],
    ...(start_time === null || end_time === null
      ? {}
      : { duration: Date.parse(end_time) - Date.parse(start_time) }),
    ...(counts === undefined
      ? {}
      : {
          queued: of('CREATING', 'QUEUED'),
          running: of('RUNNING', 'ABORTING'),
          completed: of('COMPLETED'),
          failed: of('FAILED'),
          aborted: of('ABORTED'),
        }),
  };
}
