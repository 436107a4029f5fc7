import type { FileRecord } from '../../api/model.ts';
import type { Annotated } from '../row-hash.ts';
import type { Cell, TableRow } from '../table.ts';

/** A cell that differs from what the platform has. Of tags, all of them are one cell. */
export type CellChange =
  | { readonly kind: 'tags'; readonly before: readonly string[]; readonly after: readonly string[] }
  | {
      readonly kind: 'pair';
      readonly key: string;
      /** Undefined: there is no such pair. */
      readonly before: string | undefined;
      readonly after: Cell;
    };

interface PlanOfRow {
  readonly row: TableRow;
  /** For people. */
  readonly path: string;
}

/** What is to become of the file of a row. */
export type RowPlan = PlanOfRow &
  (
    | { readonly kind: 'unchanged'; readonly file: FileRecord }
    | { readonly kind: 'change'; readonly file: FileRecord; readonly changes: readonly CellChange[] }
    | { readonly kind: 'conflict'; readonly reason: string }
  );

export type ChangePlan = Extract<RowPlan, { readonly kind: 'change' }>;

export function erases({ changes }: ChangePlan): boolean {
  return changes.some((change) => change.kind === 'pair' && change.after === null);
}

/** The tags and pairs of a file after the changes. */
export function changed({ tags, metadata }: Annotated, changes: readonly CellChange[]): Annotated {
  let newTags = tags;
  const pairs = new Map(Object.entries(metadata));
  for (const change of changes) {
    if (change.kind === 'tags') newTags = change.after;
    else if (change.after === null) pairs.delete(change.key);
    else pairs.set(change.key, change.after);
  }
  return { tags: newTags, metadata: Object.fromEntries(pairs) };
}
