import { extname } from 'node:path';
import type { Format, Table } from '../table.ts';
import { refuseTable } from '../table-error.ts';
import { parseCsv } from './csv.ts';
import { tableOf } from './grid-table.ts';
import { parseJsonl } from './jsonl.ts';
import { textOf } from './text-of.ts';
import { parseTsv } from './tsv.ts';

export interface ReadOptions {
  readonly format: Format;
  /** Default `keep`. */
  readonly blank?: 'keep' | 'erase';
}

/** The table in the bytes of a file. @throws TableError */
export function readTable(bytes: Uint8Array, { format, blank = 'keep' }: ReadOptions): Table {
  const text = textOf(bytes);
  if (text.trim() === '') refuseTable('the table is empty');
  const table =
    format === 'jsonl'
      ? parseJsonl(text)
      : tableOf(format === 'csv' ? parseCsv(text) : parseTsv(text), blank);
  if (table.rows.length === 0) refuseTable('the table has a header and no rows');
  return table;
}

/** By the end of its name; a file of another name is taken for TSV. */
export function formatOf(path: string): Format {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv';
    case '.jsonl':
    case '.ndjson':
      return 'jsonl';
    default:
      return 'tsv';
  }
}
