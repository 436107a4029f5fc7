/**
 * A draft of a task, made whole: the app's inputs and outputs by name, files checked and named, what is missing said, and
 * a batch divided into its tasks. Creating, editing and cloning all come through here, so that a draft is always
 * consistent with its app and a batch with its input.
 */
import { randomUUID } from 'node:crypto';
import type { BatchBy, BatchGroup, ExecutionSettings, TaskValues } from '../../contract/task.ts';
import type { Caller } from '../caller.ts';
import { parseAppReference } from '../rules/app-id.ts';
import { type AppPort, portsOf } from '../rules/app-ports.ts';
import { type BatchItem, batchParts, checkBatchBy } from '../rules/batch-plan.ts';
import { checkTaskName, type TaskDetails } from '../rules/task-details.ts';
import { completeValues, filesIn, missingInputs } from '../rules/task-values.ts';
import { ServiceError } from '../service-error.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import type { TaskRow } from '../store/tasks.ts';
import { appFor, revisionOf } from './app-access.ts';
import { taskFiles, withNames } from './task-files.ts';

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
  readonly batch:
    | { readonly by: BatchBy | null | undefined; readonly input: string | null | undefined }
    | undefined;
  readonly batch_group: BatchGroup | undefined;
  readonly use_interruptible_instances: boolean;
  readonly execution_settings: ExecutionSettings | undefined;
  readonly output_location: TaskValues | undefined;
}

/** The task, and the tasks of its batch. @throws ServiceError 7015, 6002, 7012, 7016 to 7020, 7022 */
export async function composeTask(
  store: Store,
  caller: Caller,
  draft: TaskDraft,
): Promise<{ readonly task: TaskRow; readonly children: TaskRow[] }> {
  const reference = parseAppReference(draft.app);
  const { app } = await appFor(store, caller, reference.id);
  const revision = await revisionOf(store, app, reference.revision);
  const document = JSON.parse(revision.raw);
  const ports = portsOf(document, 'inputs');
  const given = completeValues(ports, draft.inputs);
  const files = await taskFiles(store, caller, given);
  const inputs = withNames(given, files);
  const { id, project_id, created_by, created_on, parent_id, origin_id, batch } = draft;
  const details: TaskDetails = {
    description: draft.description,
    use_interruptible_instances: draft.use_interruptible_instances,
    inputs,
    outputs: Object.fromEntries(portsOf(document, 'outputs').map(({ name }) => [name, null])),
    errors: missingInputs(ports, inputs),
    ...(draft.batch_group === undefined ? {} : { batch_group: draft.batch_group }),
    ...(draft.execution_settings === undefined ? {} : { execution_settings: draft.execution_settings }),
    ...(draft.output_location === undefined ? {} : { output_location: draft.output_location }),
  };
  const task: TaskRow = {
    id,
    project_id,
    name: checkTaskName(draft.name ?? app.name),
    status: 'DRAFT',
    app_id: app.id,
    app_revision: revision.revision,
    created_by,
    created_on,
    executed_by: null,
    start_time: null,
    end_time: null,
    parent_id,
    is_batch: 0,
    origin_id,
    details: JSON.stringify(details),
  };
  if (batch === undefined) return { task, children: [] };
  return composeBatch(store, { task, details, batch, ports, files });
}

interface BatchDraft {
  readonly task: TaskRow;
  readonly details: TaskDetails;
  readonly batch: NonNullable<TaskDraft['batch']>;
  readonly ports: readonly AppPort[];
  readonly files: ReadonlyMap<string, FileRow>;
}

async function composeBatch(
  store: Store,
  { task, details, batch, ports, files }: BatchDraft,
): Promise<{ readonly task: TaskRow; readonly children: TaskRow[] }> {
  const by = checkBatchBy(batch.by);
  if (!batch.input) throw new ServiceError(7020);
  const port = ports.find(({ name }) => name === batch.input);
  if (port === undefined) throw new ServiceError(7019, `The app has no input ${batch.input}.`);
  const { [port.name]: list = null } = details.inputs;
  const others = ports.filter((other) => other !== port);
  const own: TaskDetails = {
    ...details,
    batch_by: by,
    batch_input: port.name,
    errors: missingInputs([...others, { ...port, required: true }], details.inputs),
  };
  const parent: TaskRow = { ...task, is_batch: 1, details: JSON.stringify(own) };
  if (list === null) return { task: parent, children: [] };
  if (!Array.isArray(list)) throw new ServiceError(7019, 'The batch input must be a list.');
  const parts = batchParts(await batchItems(store, list, files), by);
  const children = parts.map(({ group, items }): TaskRow => {
    const values = items.map(({ value }) => value);
    const input = port.takesList ? values : values[0];
    const inputs = { ...details.inputs, [port.name]: input };
    const child: TaskDetails = {
      ...details,
      inputs,
      errors: missingInputs(ports, inputs),
      batch_group: group,
    };
    const name = `${task.name} - ${group.value}`.slice(0, 255);
    return { ...task, id: randomUUID(), name, parent_id: task.id, details: JSON.stringify(child) };
  });
  return { task: parent, children };
}

async function batchItems(
  store: Store,
  list: readonly unknown[],
  files: ReadonlyMap<string, FileRow>,
): Promise<BatchItem[]> {
  const detailed = await store.files.withDetails([...files.values()]);
  const byId = new Map(detailed.map((file) => [file.id, file]));
  return list.map((value, at) => {
    const file = byId.get(filesIn(value)[0]?.path ?? '');
    return { value, name: file?.name ?? String(at + 1), metadata: file?.metadata ?? {} };
  });
}
