/** Rows of cells as TSV and CSV have them, before they mean anything. The first is the header. */
export interface GridRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** Whether a row is one that spreadsheets leave at the end: nothing but separators. */
export function isBlank({ cells }: GridRow): boolean {
  return cells.every((cell) => cell === '');
}
