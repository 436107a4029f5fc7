import type { TaskValues } from '../../contract/task.ts';
import { filesIn } from '../files/tables/file-table.ts';
import { jobsIn } from '../jobs/job-table.ts';
import type { Store } from '../store/store.ts';
import { endTask, type TaskEnd } from '../tasks/end-task.ts';
import { isUnfinished, taskDetails } from '../tasks/task-details.ts';
import type { TaskRow } from '../tasks/task-table.ts';
import { tasksIn } from '../tasks/task-table.ts';
import { OperatorError } from './operator-error.ts';

/** How a task ended that something outside of the service ran. */
export interface ForeignTaskEnd {
  readonly status: TaskEnd['status'];
  /** Ids of files of the task's project, by the name of the output; one, or a list. */
  readonly outputs?: Readonly<Record<string, readonly string[]>>;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** In millionths. */
  readonly costMicros?: number | undefined;
}

/** Records the end, inside a transaction; its outputs are from then on files that the task has made. @throws OperatorError */
export async function endForeignTask(
  tx: Store,
  id: string,
  end: ForeignTaskEnd & { readonly now: string },
): Promise<void> {
  const task = await tasksIn(tx).find(id);
  if (task === undefined) throw new OperatorError('missing', `there is no task ${id}`);
  if (!isUnfinished(task.status)) throw new OperatorError('invalid', `the task is ${task.status}`);
  if (task.is_batch === 1) throw new OperatorError('invalid', 'it is a batch, which ends with its tasks');
  if ((await jobsIn(tx).findMany([id])).length > 0) {
    throw new OperatorError('invalid', 'the service runs the task itself; abort it by the API');
  }
  const { status, error, costMicros, now } = end;
  const details = taskDetails(task);
  const outputs = { ...details.outputs, ...(await outputsOf(tx, task, end.outputs ?? {})) };
  await endTask(tx, task, {
    status,
    now,
    details: { ...details, outputs, errors: error === undefined ? [] : [error] },
    ...(costMicros === undefined ? {} : { cost: costMicros }),
  });
}

async function outputsOf(
  tx: Store,
  task: TaskRow,
  given: Readonly<Record<string, readonly string[]>>,
): Promise<TaskValues> {
  const known = Object.keys(taskDetails(task).outputs);
  const outputs: [string, unknown][] = [];
  for (const [name, ids] of Object.entries(given)) {
    if (!known.includes(name)) throw new OperatorError('missing', `the app has no output ${name}`);
    const files = [];
    for (const id of ids) files.push(await claimedFile(tx, task, id));
    outputs.push([name, files.length === 1 ? files[0] : files]);
  }
  return Object.fromEntries(outputs);
}

async function claimedFile(tx: Store, task: TaskRow, id: string): Promise<object> {
  const file = await filesIn(tx).find(id);
  if (file === undefined || file.project_id !== task.project_id) {
    throw new OperatorError('missing', `there is no file ${id} in the project of the task`);
  }
  await filesIn(tx).update(id, { origin_task: task.id });
  return { class: file.kind === 'folder' ? 'Directory' : 'File', path: id, name: file.name };
}
