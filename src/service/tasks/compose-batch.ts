import { randomUUID } from 'node:crypto';
import { FILE_NAME_LENGTH_MAX } from '../../contract/limits.ts';
import type { BatchBy } from '../../contract/task.ts';
import type { AppPort } from '../apps/apps.ts';
import { type FileRow, filesIn } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import { type BatchItem, batchParts, checkBatchBy } from './batch-plan.ts';
import type { TaskDetails } from './task-details.ts';
import type { TaskRow } from './task-table.ts';
import { filesAmong, missingInputs } from './task-values.ts';

/** As the caller gives them. */
export interface BatchSettings {
  readonly by: BatchBy | null | undefined;
  readonly input: string | null | undefined;
}

/** A task, and the tasks of its batch, if it is one. */
export interface ComposedTask {
  readonly task: TaskRow;
  readonly children: readonly TaskRow[];
}

interface BatchDraft {
  readonly task: TaskRow;
  readonly details: TaskDetails;
  readonly batch: BatchSettings;
  readonly ports: readonly AppPort[];
  readonly files: ReadonlyMap<string, FileRow>;
}

/** The task as a batch, and a task for each part of its batch input. @throws ServiceError 7016 to 7020 */
export async function composeBatch(
  store: Store,
  { task, details, batch, ports, files }: BatchDraft,
): Promise<ComposedTask> {
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
    const name = [...`${task.name} - ${group.value}`].slice(0, FILE_NAME_LENGTH_MAX).join('');
    return { ...task, id: randomUUID(), name, parent_id: task.id, details: JSON.stringify(child) };
  });
  return { task: parent, children };
}

async function batchItems(
  store: Store,
  list: readonly unknown[],
  files: ReadonlyMap<string, FileRow>,
): Promise<BatchItem[]> {
  const detailed = await filesIn(store).withDetails([...files.values()]);
  const byId = new Map(detailed.map((file) => [file.id, file]));
  return list.map((value, at) => {
    const file = byId.get(filesAmong(value)[0]?.path ?? '');
    return { value, name: file?.name ?? String(at + 1), metadata: file?.metadata ?? {} };
  });
}
