import { randomUUID } from 'node:crypto';
import type { ProjectSettings } from '../../contract/project.ts';
import type { CreateTaskBody } from '../../contract/task.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import { demand, permissionsIn, projectsIn } from '../members/members.ts';
import { isStorableText } from '../store/storable-text.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { checkExecution } from './check-execution.ts';
import { composeTask, type TaskDraft } from './compose-task.ts';
import type { HasExecutor, HasTaskRunner } from './executor.ts';
import { runTask } from './start-task.ts';
import { executableTask } from './task-access.ts';
import { taskDetails } from './task-details.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

/**
 * @param create `run`: run it at once; a task with errors stays a draft then, and says them.
 * @throws ServiceError 3006, 3010, 3002, 7001, 7015, 6002, 7012, 7016 to 7020, 7022, 7023, 7024, 5024
 */
export async function createTask(
  services: HasStore & HasJobSignals & HasExecutor & HasTaskRunner & HasClock,
  caller: Caller,
  create: { readonly body: CreateTaskBody; readonly batch: boolean; readonly run: boolean },
): Promise<TaskRow> {
  const { store, clock } = services;
  const { body } = create;
  if (!body.project) throw new ServiceError(3006);
  demand(await permissionsIn(store, caller, { id: body.project, malformed: 3010 }), 'execute', 7001);
  if (!body.app) throw new ServiceError(7015);
  if (body.origin_id && !isStorableText(body.origin_id)) throw new ServiceError(7023);
  checkExecution(services, body);
  const settings: ProjectSettings = JSON.parse(
    (await projectsIn(store).find(body.project))?.settings ?? '{}',
  );
  const isBatch = create.batch && body.batch !== false && (body.batch || body.batch_by || body.batch_input);
  const draft: TaskDraft = {
    id: randomUUID(),
    project_id: body.project,
    created_by: caller.username,
    created_on: storedTime(clock.now()),
    parent_id: null,
    origin_id: body.origin_id ?? null,
    app: body.app,
    name: body.name ?? undefined,
    description: body.description ?? '',
    inputs: body.inputs ?? {},
    batch: isBatch ? { by: body.batch_by, input: body.batch_input } : undefined,
    batch_group: undefined,
    use_interruptible_instances: body.use_interruptible_instances ?? settings.use_interruptible_instances,
    execution_settings: body.execution_settings ?? undefined,
    output_location: body.output_location ?? undefined,
  };
  return insertTask(services, caller, { draft, run: create.run });
}

/** A new draft of the same, without a batch it may belong to. @throws ServiceError as `createTask`, 7005, 7002 */
export async function cloneTask(
  services: HasStore & HasJobSignals & HasExecutor & HasClock,
  caller: Caller,
  clone: { readonly id: string; readonly run: boolean },
): Promise<TaskRow> {
  const { store, clock } = services;
  const original = await executableTask(store, caller, clone.id);
  const draft: TaskDraft = {
    ...draftOf(original),
    id: randomUUID(),
    created_by: caller.username,
    created_on: storedTime(clock.now()),
    parent_id: null,
    batch_group: undefined,
  };
  return insertTask(services, caller, { draft, run: clone.run });
}

/** A task as the draft that gives it again. */
export function draftOf(task: TaskRow): TaskDraft {
  const details = taskDetails(task);
  const { id, project_id, created_by, created_on, parent_id, origin_id, name } = task;
  const { description, inputs, batch_by, batch_input, batch_group, use_interruptible_instances } = details;
  return {
    id,
    project_id,
    created_by,
    created_on,
    parent_id,
    origin_id,
    app: `${task.app_id}/${task.app_revision}`,
    name,
    description,
    inputs,
    batch: task.is_batch === 1 ? { by: batch_by, input: batch_input } : undefined,
    batch_group,
    use_interruptible_instances,
    execution_settings: details.execution_settings,
    output_location: details.output_location,
  };
}

async function insertTask(
  services: HasStore & HasJobSignals & HasExecutor & HasClock,
  caller: Caller,
  { draft, run }: { readonly draft: TaskDraft; readonly run: boolean },
): Promise<TaskRow> {
  const { task, children } = await composeTask(services.store, caller, draft);
  await services.store.transaction((tx) => tasksIn(tx).insert([task, ...children]));
  if (!run || taskDetails(task).errors.length > 0) return task;
  return runTask(services, caller, { id: task.id });
}
