import { unescapeKey } from '../key-names.ts';
import type { Cell, Format } from '../table.ts';
import { refuseTable } from '../table-error.ts';
import { parseCsv } from './csv.ts';
import { type GridRow, isBlank } from './grid.ts';
import { textOf } from './text-of.ts';
import { parseTsv } from './tsv.ts';
import { cellOf } from './words.ts';

/** A table that others made: its rows tell of samples, not of files. */
export interface Sheet {
  /** Names of the columns but for that of the sample. */
  readonly keys: readonly string[];
  readonly rows: readonly SheetRow[];
}

export interface SheetRow {
  readonly number: number;
  readonly sample: string;
  readonly pairs: ReadonlyMap<string, Cell>;
  readonly blanks: readonly string[];
}

/** The sheet in the bytes of a file, of Illumina's SampleSheet.csv the section of data. `column` tells the sample. */
export function readSheet(bytes: Uint8Array, format: Format, column: string): Sheet {
  if (format === 'jsonl') refuseTable('a sample sheet is TSV or CSV');
  const section = dataSection(textOf(bytes));
  const grid = (format === 'csv' ? parseCsv : parseTsv)(section.text).map(({ number, cells }) => ({
    number: number + section.linesBefore,
    cells,
  }));
  const [header, ...others] = grid.filter((row) => !isBlank(row));
  if (header === undefined) refuseTable('the sheet is empty: there is no header');
  const columns = columnsOf(header, column);
  const rows = others.map((row) => sheetRow(row, columns, column));
  if (rows.length === 0) refuseTable('the sheet has a header and no rows');
  return { keys: columns.filter((name) => name !== '' && name !== column).map(unescapeKey), rows };
}

/** `[Data]` of the first version of Illumina's sheets, `[BCLConvert_Data]` of the second. */
const DATA = /^\[(?:BCLConvert_)?Data\][,;\s]*$/i;
const SECTION = /^\[[^\]]+\][,;\s]*$/;

function dataSection(text: string): { readonly text: string; readonly linesBefore: number } {
  const lines = text.split('\n');
  if (!SECTION.test(lines.find((line) => !/^[,;\s]*$/.test(line)) ?? '')) return { text, linesBefore: 0 };
  const start = lines.findIndex((line) => DATA.test(line));
  if (start < 0) refuseTable('the sheet has sections, and none is [Data] or [BCLConvert_Data]');
  const length = lines.slice(start + 1).findIndex((line) => SECTION.test(line));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  return { text: section.join('\n'), linesBefore: start + 1 };
}

function columnsOf({ number, cells }: GridRow, column: string): readonly string[] {
  const seen = new Set<string>();
  for (const name of cells) {
    if (name === '') continue;
    if (seen.has(name)) refuseTable('two columns have this name', { row: number, column: name });
    if (name.startsWith('svc.')) {
      const escaped = name.replace('.', '%2E');
      refuseTable(`a key of this name is written ${escaped}`, { row: number, column: name });
    }
    seen.add(name);
  }
  if (!seen.has(column))
    refuseTable(`no column ${column}; there are ${[...seen].join(', ')}`, { row: number });
  return cells;
}

function sheetRow({ number, cells }: GridRow, columns: readonly string[], column: string): SheetRow {
  let sample = '';
  const pairs = new Map<string, Cell>();
  const blanks: string[] = [];
  for (const [index, text] of cells.entries()) {
    const name = columns[index] ?? '';
    if (name === '' && text !== '')
      refuseTable(`cell ${index + 1} has no column in the header`, { row: number });
    if (name === '') continue;
    const cell = cellOf(text);
    if (name === column) sample = text;
    else if (cell === undefined) blanks.push(unescapeKey(name));
    else pairs.set(unescapeKey(name), cell);
  }
  if (sample === '') refuseTable('blank', { row: number, column });
  return { number, sample, pairs, blanks };
}
