import { CsvError, parse } from 'csv-parse/sync';
import { refuseTable } from '../table-error.ts';
import type { GridRow } from './grid.ts';

/** Comma-separated values by RFC 4180. Spreadsheets of many countries write semicolons, which the header shows. */
export function parseCsv(text: string): readonly GridRow[] {
  const [header = ''] = text.split(/\r?\n/, 1);
  const delimiter = header.includes(';') && !header.includes(',') ? ';' : ',';
  try {
    const rows = parse(text, { delimiter, relax_column_count: true }) as string[][];
    return rows.map((cells, index) => ({ number: index + 1, cells }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as CsvError & { readonly lines?: number };
    refuseTable(`no CSV as RFC 4180 has it: ${error.message}`, { row: lines });
  }
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
