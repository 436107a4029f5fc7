import type { FileRecord } from '../../api/model.ts';
import { rowHash } from '../row-hash.ts';
import type { TableRow } from '../table.ts';
import type { CellChange } from './row-plan.ts';

export interface Comparing {
  /** The row as it was exported: cells that the user did not change are left alone. */
  readonly old: TableRow | undefined;
  /** Changes of others since the export are overwritten. */
  readonly force: boolean;
  /** Whether it was the caller's own doing that a file with this hash has another now. Default: never. */
  readonly isOwnChange?: ((file: FileRecord, base: string) => boolean) | undefined;
}

export type Comparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'differs'; readonly changes: readonly CellChange[] }
  | { readonly kind: 'conflict'; readonly reason: string };

/** The cells of a row that are to be sent, or the reason why none is: somebody else changed the file since the export. */
export function compareRow(
  row: TableRow,
  file: FileRecord,
  { old, force, isOwnChange }: Comparing,
): Comparison {
  const differing = [...tagChange(row, file), ...pairChanges(row, file)];
  if (differing.length === 0) return { kind: 'same' };
  if (force) return { kind: 'differs', changes: differing };
  if (old !== undefined) return merge(differing, { row, old });
  if (row.base === undefined || row.base === rowHash(file) || isOwnChange?.(file, row.base))
    return { kind: 'differs', changes: differing };
  return conflict(differing, 'export again, or give --base OLD or --force');
}

function tagChange({ tags }: TableRow, file: FileRecord): readonly CellChange[] {
  if (tags === undefined || sameTags(tags, file.tags)) return [];
  return [{ kind: 'tags', before: file.tags, after: [...new Set(tags)] }];
}

function pairChanges({ pairs }: TableRow, { metadata }: FileRecord): readonly CellChange[] {
  return [...pairs].flatMap(([key, after]) => {
    const before = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    return before === (after ?? undefined) ? [] : [{ kind: 'pair', key, before, after }];
  });
}

/** By cell: what the user changed is sent, unless others changed the same cell. */
function merge(differing: readonly CellChange[], rows: { row: TableRow; old: TableRow }): Comparison {
  const ours = differing.filter((change) => isChangedIn(rows, change));
  const theirs = ours.filter((change) => !isAsBefore(rows.old, change));
  if (theirs.length > 0) return conflict(theirs, 'correct these cells after a new export, or give --force');
  return ours.length === 0 ? { kind: 'same' } : { kind: 'differs', changes: ours };
}

function isChangedIn({ row, old }: { row: TableRow; old: TableRow }, change: CellChange): boolean {
  if (change.kind === 'tags') return !sameTags(row.tags ?? [], old.tags ?? []);
  return (row.pairs.get(change.key) ?? undefined) !== (old.pairs.get(change.key) ?? undefined);
}

/** Whether the platform has what was exported. */
function isAsBefore(old: TableRow, change: CellChange): boolean {
  if (change.kind === 'tags') return sameTags(old.tags ?? [], change.before);
  return (old.pairs.get(change.key) ?? undefined) === change.before;
}

function conflict(changes: readonly CellChange[], remedy: string): Comparison {
  const columns = changes.map((change) => (change.kind === 'tags' ? 'svc.tags' : change.key)).join(', ');
  return { kind: 'conflict', reason: `changed on the platform since the export: ${columns}; ${remedy}` };
}

/** In any order. */
function sameTags(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((tag) => other.has(tag));
}
