/** Column headings, and what stands below them in each row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | null>>;

/** Rows for a person: columns as wide as they need to be. Nothing but `empty` when there are none. */
export function printTable<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): void {
  if (rows.length === 0) {
    console.error(empty);
    return;
  }
  const headings = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row) || '-'));
  const widths = headings.map((heading, n) =>
    Math.max(heading.length, ...cells.map((line) => line[n]?.length ?? 0)),
  );
  for (const line of [headings, ...cells]) {
    console.log(
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}

/** A stored time, to the second. */
export function shownTime(stored: string | null): string | null {
  return stored === null ? null : `${stored.slice(0, 10)} ${stored.slice(11, 19)}Z`;
}
