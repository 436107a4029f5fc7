import type { Sheet } from '../format/sheet.ts';
import { type Problem, TableError } from '../table-error.ts';
import { checkTable } from './check-table.ts';

/** Finds mistakes of a sheet that hang on no file. @throws TableError */
export function checkSheet({ keys, rows }: Sheet): void {
  const first = new Map<string, number>();
  const problems: Problem[] = [];
  for (const { sample, number } of rows) {
    const before = first.get(sample);
    if (before === undefined) first.set(sample, number);
    else problems.push({ row: number, text: `${sample} has row ${before} already` });
  }
  if (problems.length > 0) throw new TableError(problems);
  const noFacts = { id: undefined, path: undefined, base: undefined, tags: undefined };
  checkTable({ keys, rows: rows.map((row) => ({ ...row, ...noFacts })) });
}
