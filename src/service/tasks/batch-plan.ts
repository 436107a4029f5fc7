/** How a batch divides the list that is its batch input into tasks. */
import type { BatchBy, BatchGroup } from '../../contract/task.ts';
import { ServiceError } from '../http/service-error.ts';

const TASKS_MAX = 1000;
const METADATA_PREFIX = 'metadata.';
/** The value of a criterion that a file has not. */
const UNDEFINED = 'UNDEFINED';

export interface BatchItem {
  readonly value: unknown;
  /** The name of the item for people. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface BatchPart {
  readonly group: BatchGroup;
  readonly items: readonly BatchItem[];
}

/** @throws ServiceError 7016, 7017, 7018 */
export function checkBatchBy(batchBy: BatchBy | null | undefined): BatchBy {
  if (!batchBy) throw new ServiceError(7016);
  const type = batchBy.type.toUpperCase();
  if (type === 'ITEM') return { type };
  if (type !== 'CRITERIA') throw new ServiceError(7017, 'A batch is by ITEM or by CRITERIA.');
  const { criteria } = batchBy;
  if (!criteria || criteria.length === 0 || !criteria.every((path) => keyOf(path) !== '')) {
    throw new ServiceError(7018, 'Criteria have the form metadata.KEY.');
  }
  return { type, criteria };
}

/** A part for each item, or for each combination of the values of the criteria. @throws ServiceError 7019 */
export function batchParts(items: readonly BatchItem[], { type, criteria }: BatchBy): BatchPart[] {
  const parts = type === 'ITEM' ? items.map(partOfItem) : grouped(items, criteria ?? []);
  if (parts.length === 0) throw new ServiceError(7019, 'The batch input is an empty list.');
  if (parts.length > TASKS_MAX) throw new ServiceError(7019, `A batch has at most ${TASKS_MAX} tasks.`);
  return parts;
}

function partOfItem(item: BatchItem): BatchPart {
  return { group: { value: item.name, fields: {} }, items: [item] };
}

function grouped(items: readonly BatchItem[], criteria: readonly string[]): BatchPart[] {
  const groups = new Map<string, { group: BatchGroup; items: BatchItem[] }>();
  for (const item of items) {
    const values = criteria.map((path) => criterionOf(item, keyOf(path)));
    const id = JSON.stringify(values);
    const fields = Object.fromEntries(criteria.map((path, at) => [path, values[at] ?? UNDEFINED]));
    const part = groups.get(id) ?? { group: { value: values.join(', '), fields }, items: [] };
    part.items.push(item);
    groups.set(id, part);
  }
  return [...groups.values()];
}

function criterionOf({ metadata }: BatchItem, key: string): string {
  return (Object.hasOwn(metadata, key) ? metadata[key] : undefined) ?? UNDEFINED;
}

function keyOf(path: string): string {
  return path.startsWith(METADATA_PREFIX) ? path.slice(METADATA_PREFIX.length) : '';
}
