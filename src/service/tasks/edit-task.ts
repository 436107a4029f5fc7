import type { EditTaskBody } from '../../contract/task.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore, Store } from '../store/store.ts';
import { checkExecution } from './check-execution.ts';
import { composeTask, type TaskDraft } from './compose-task.ts';
import { draftOf } from './create-task.ts';
import type { HasTaskRunner } from './executor.ts';
import { executableTask } from './task-access.ts';
import { checkTaskName, isUnfinished } from './task-details.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

/**
 * Inputs are merged; the tasks of a batch are made anew. Of a task that is no draft only the name can be changed.
 *
 * @throws ServiceError 7005, 7002, 7001, 7026, and as `createTask`
 */
export async function editTask(
  services: HasStore & HasTaskRunner,
  caller: Caller,
  edit: { readonly id: string; readonly body: EditTaskBody },
): Promise<TaskRow> {
  return services.store.transaction(async (tx) => {
    const present = await executableTask(tx, caller, edit.id);
    if (present.status !== 'DRAFT') return rename(tx, present, edit.body);
    checkExecution(services, edit.body);
    const { task, children } = await composeTask(tx, caller, edited(draftOf(present), edit.body));
    await tasksIn(tx).deleteChildren(task.id);
    await tasksIn(tx).update(task.id, task);
    await tasksIn(tx).insert(children);
    return task;
  });
}

function edited(draft: TaskDraft, body: EditTaskBody): TaskDraft {
  const { batch_by: by = draft.batch?.by, batch_input: input = draft.batch?.input } = body;
  const isBatch = body.batch ?? (draft.batch !== undefined || body.batch_by || body.batch_input);
  return {
    ...draft,
    app: body.app ?? draft.app,
    name: body.name ?? draft.name,
    description: body.description ?? draft.description,
    inputs: { ...draft.inputs, ...body.inputs },
    batch: isBatch ? { by, input } : undefined,
    use_interruptible_instances: body.use_interruptible_instances ?? draft.use_interruptible_instances,
    execution_settings: body.execution_settings ?? draft.execution_settings,
    output_location: body.output_location ?? draft.output_location,
  };
}

async function rename(tx: Store, task: TaskRow, { name, ...others }: EditTaskBody): Promise<TaskRow> {
  if (Object.values(others).some((value) => value !== undefined)) throw new ServiceError(7026);
  if (!name) return task;
  await tasksIn(tx).update(task.id, { name: checkTaskName(name) });
  return { ...task, name };
}

/**
 * Deletes a task, with the tasks of its batch. A task of a batch that is a draft stays. The batch is run as a whole: with
 * none of its tasks left it would never end.
 *
 * @throws ServiceError 7005, 7002, 7001, 90007 while it runs, or for the batch it belongs to
 */
export async function deleteTask({ store }: HasStore, caller: Caller, id: string): Promise<void> {
  const { id: known } = await executableTask(store, caller, id);
  await store.transaction(async (tx) => {
    const task = await tasksIn(tx).find(known);
    if (task !== undefined && isUnfinished(task.status)) {
      throw new ServiceError(90007, 'The task is running: abort it before deleting it.');
    }
    const batch = task?.parent_id ? await tasksIn(tx).find(task.parent_id) : undefined;
    if (batch?.status === 'DRAFT') {
      throw new ServiceError(90007, 'The task is deleted with the batch it belongs to.');
    }
    await tasksIn(tx).delete(known);
  });
}
