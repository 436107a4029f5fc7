import { type Columns, tableLines } from './table-lines.ts';

/** Rows for a person. Nothing but `empty` when there are none. */
export function printTable<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): void {
  if (rows.length === 0) {
    console.error(empty);
    return;
  }
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  for (const line of tableLines(rows, columns, width)) console.log(line);
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}

/** A stored time, to the second. */
export function shownTime(stored: string | null): string | null {
  return stored === null ? null : `${stored.slice(0, 10)} ${stored.slice(11, 19)}Z`;
}
