import { escapeKey } from '../key-names.ts';
import type { Cell, FactColumn, Format } from '../table.ts';
import { csvLine } from './csv.ts';
import { tsvLine } from './tsv.ts';
import { cellText } from './words.ts';

/** A row to print. What is undefined becomes a blank cell. */
export interface PrintedRow {
  readonly facts: Readonly<Partial<Record<FactColumn, string | number | readonly string[] | undefined>>>;
  readonly pairs: ReadonlyMap<string, Cell>;
}

export interface PrintedTable {
  readonly facts: readonly FactColumn[];
  readonly keys: readonly string[];
  readonly rows: readonly PrintedRow[];
}

/** The text of a table, in pieces of a row each. */
export function* printTable(table: PrintedTable, format: Format): Generator<string> {
  if (format === 'jsonl') {
    for (const row of table.rows) yield jsonLine(table, row);
    return;
  }
  const line = format === 'csv' ? csvLine : tsvLine;
  yield line([...table.facts, ...table.keys.map(escapeKey)]);
  for (const { facts, pairs } of table.rows)
    yield line([
      ...table.facts.map((name) => factText(facts[name])),
      ...table.keys.map((key) => cellText(pairs.get(key))),
    ]);
}

function factText(value: string | number | readonly string[] | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function jsonLine({ facts: names }: PrintedTable, { facts, pairs }: PrintedRow): string {
  const svc = Object.fromEntries(names.map((name) => [name.slice('svc.'.length), facts[name]]));
  return `${JSON.stringify({ svc, metadata: Object.fromEntries(pairs) })}\n`;
}
