import { printable } from '../../lib/printable.ts';

/** Column headings, and what stands below them in each row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | null>>;

const GAP = '  ';
const CUT = '…';
/** No column is made narrower than this. */
const NARROWEST = 8;

/**
 * The lines of a table: a heading, and one for each row whatever its cells hold. Columns are as wide as they need to be.
 *
 * @param width Of the terminal: the widest columns are cut until a line fits. Undefined for a file or a pipe; 0 where a
 *   terminal does not know its width.
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  width: number | undefined,
): readonly string[] {
  const cells = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => cell(row) || '-')),
  ].map((line) => line.map(printable));
  const wanted = Object.keys(columns).map((_, n) =>
    Math.max(...cells.map((line) => lengthOf(line[n] ?? ''))),
  );
  const widths = width ? fitted(wanted, width - GAP.length * (wanted.length - 1)) : wanted;
  return cells.map((line) =>
    line
      .map((cell, n) => cutTo(cell, widths[n] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Takes from the widest column until the sum is reached, or none can be narrower. */
function fitted(wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted];
  const sum = (): number => widths.reduce((total, one) => total + one, 0);
  for (let over = sum() - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

function cutTo(cell: string, width: number): string {
  const length = lengthOf(cell);
  if (length <= width) return cell + ' '.repeat(width - length);
  return [...cell].slice(0, Math.max(0, width - 1)).join('') + CUT;
}

function lengthOf(text: string): number {
  return [...text].length;
}

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
