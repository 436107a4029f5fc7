import { unescapeKey } from '../key-names.ts';
import { type Cell, EXPORT_COLUMNS, RESULT_COLUMNS, type Table, type TableRow } from '../table.ts';
import { type Problem, refuseTable, TableError } from '../table-error.ts';
import { type GridRow, isBlank } from './grid.ts';
import { tagsOf } from './jsonl.ts';
import { cellOf, ERASE } from './words.ts';

const FACTS: ReadonlySet<string> = new Set([...EXPORT_COLUMNS, ...RESULT_COLUMNS]);

/** The meaning of each column: undefined for one without a name. */
type Column = { readonly kind: 'fact' | 'key'; readonly name: string } | undefined;

/** The table that rows of cells mean, the first of which is the header. `blank`: what a blank cell of a key means. */
export function tableOf(grid: readonly GridRow[], blank: 'keep' | 'erase'): Table {
  const [header, ...others] = grid.filter((row) => !isBlank(row));
  if (header === undefined) refuseTable('the table is empty: there is no header');
  const columns = columnsOf(header);
  const problems: Problem[] = [];
  const rows = others.flatMap((row) => {
    try {
      return [rowOf(row, columns, blank)];
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new TableError(problems);
  return { keys: columns.flatMap((column) => (column?.kind === 'key' ? [column.name] : [])), rows };
}

function columnsOf({ number, cells }: GridRow): readonly Column[] {
  const columns = cells.map(columnOf);
  const seen = new Set<string>();
  for (const [index, name] of cells.entries()) {
    const at = { row: number, column: name };
    if (name === '') continue;
    if (seen.has(name)) refuseTable('two columns have this name', at);
    seen.add(name);
    if (columns[index]?.kind === 'fact' && !FACTS.has(name))
      refuseTable(`no column of a table; a key of this name is written ${name.replace('.', '%2E')}`, at);
  }
  if (!seen.has('svc.id') && !seen.has('svc.path')) {
    const hint = seen.has('id') ? ' (a column id is a metadata key of that name)' : '';
    refuseTable(`no column svc.id or svc.path tells the files${hint}`, { row: number });
  }
  return columns;
}

function columnOf(name: string): Column {
  if (name === '') return undefined;
  if (name.startsWith('svc.')) return { kind: 'fact', name };
  return { kind: 'key', name: unescapeKey(name) };
}

function rowOf({ number, cells }: GridRow, columns: readonly Column[], blank: 'keep' | 'erase'): TableRow {
  const facts = new Map<string, string>();
  const pairs = new Map<string, Cell>();
  const blanks: string[] = [];
  for (const [index, column] of columns.entries()) {
    const text = cells[index] ?? '';
    if (column === undefined) requireBlank(text, number, index);
    else if (column.kind === 'fact') facts.set(column.name, text);
    else {
      const cell = text === '' && blank === 'erase' ? null : cellOf(text);
      if (cell === undefined) blanks.push(column.name);
      else pairs.set(column.name, cell);
    }
  }
  for (const [index, text] of cells.entries()) if (index >= columns.length) requireBlank(text, number, index);
  return {
    number,
    id: facts.get('svc.id') || undefined,
    path: facts.get('svc.path') || undefined,
    base: facts.get('svc.base') || undefined,
    tags: tagsIn(facts.get('svc.tags'), number, blank),
    pairs,
    blanks,
  };
}

function requireBlank(text: string, row: number, index: number): void {
  if (text !== '') refuseTable(`cell ${index + 1} has no column in the header`, { row });
}

function tagsIn(
  text: string | undefined,
  row: number,
  blank: 'keep' | 'erase',
): readonly string[] | undefined {
  if (text === undefined) return undefined;
  if (text === '') return blank === 'erase' ? [] : undefined;
  if (text === ERASE) return [];
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // It is refused below as what it is.
  }
  return tagsOf(value, { row });
}
