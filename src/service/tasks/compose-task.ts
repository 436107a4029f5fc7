/**
 * A draft of a task, made whole: the app's inputs and outputs by name, files checked and named, what is missing said, and
 * a batch divided into its tasks. Creating, editing and cloning all come through here, so that a draft is always
 * consistent with its app and a batch with its input.
 */

import type { BatchGroup, ExecutionSettings, TaskValues } from '../../contract/task.ts';
import { type AppRow, appFor, parseAppReference, portsOf, revisionOf } from '../apps/apps.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import { type BatchSettings, type ComposedTask, composeBatch } from './compose-batch.ts';
import { checkTaskName, type TaskDetails } from './task-details.ts';
import { taskFiles, withNames } from './task-files.ts';
import type { TaskRow } from './task-table.ts';
import { completeValues, missingInputs } from './task-values.ts';

export interface TaskDraft {
  readonly id: string;
  readonly project_id: string;
  readonly created_by: string;
  readonly created_on: string;
  readonly parent_id: string | null;
  readonly origin_id: string | null;
  /** With a revision or without: the newest. */
  readonly app: string;
  /** That of the app when there is none. */
  readonly name: string | undefined;
  readonly description: string;
  readonly inputs: TaskValues;
  readonly batch: BatchSettings | undefined;
  readonly batch_group: BatchGroup | undefined;
  readonly use_interruptible_instances: boolean;
  readonly execution_settings: ExecutionSettings | undefined;
  readonly output_location: TaskValues | undefined;
}

/** The task, and the tasks of its batch. @throws ServiceError 7015, 6002, 7012, 7016 to 7020, 7022, 7023 */
export async function composeTask(store: Store, caller: Caller, draft: TaskDraft): Promise<ComposedTask> {
  const reference = parseAppReference(draft.app);
  const { app } = await appFor(store, caller, reference.id);
  const revision = await revisionOf(store, app, reference.revision);
  const document = JSON.parse(revision.raw);
  const ports = portsOf(document, 'inputs');
  const given = completeValues(ports, draft.inputs);
  const files = await taskFiles(store, caller, given);
  const inputs = withNames(given, files);
  const outputs = Object.fromEntries(portsOf(document, 'outputs').map(({ name }) => [name, null]));
  const details = detailsOf(draft, { inputs, outputs, errors: missingInputs(ports, inputs) });
  const task = rowOf(draft, { app, revision: revision.revision, details });
  if (draft.batch === undefined) return { task, children: [] };
  // It is run as one task, and those of its own nobody would run.
  if (draft.parent_id !== null) throw new ServiceError(7023, 'A task of a batch cannot be a batch itself.');
  return composeBatch(store, { task, details, batch: draft.batch, ports, files });
}

function detailsOf(
  draft: TaskDraft,
  values: Pick<TaskDetails, 'inputs' | 'outputs' | 'errors'>,
): TaskDetails {
  const { description, use_interruptible_instances } = draft;
  const { batch_group, execution_settings, output_location } = draft;
  return {
    description,
    use_interruptible_instances,
    ...values,
    ...(batch_group === undefined ? {} : { batch_group }),
    ...(execution_settings === undefined ? {} : { execution_settings }),
    ...(output_location === undefined ? {} : { output_location }),
  };
}

function rowOf(
  { id, project_id, created_by, created_on, parent_id, origin_id, name }: TaskDraft,
  parts: { readonly app: AppRow; readonly revision: number; readonly details: TaskDetails },
): TaskRow {
  return {
    id,
    project_id,
    name: checkTaskName(name ?? parts.app.name),
    status: 'DRAFT',
    app_id: parts.app.id,
    app_revision: parts.revision,
    created_by,
    created_on,
    executed_by: null,
    start_time: null,
    end_time: null,
    parent_id,
    is_batch: 0,
    origin_id,
    details: JSON.stringify(parts.details),
  };
}
