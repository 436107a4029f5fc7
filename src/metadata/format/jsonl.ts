import type { Cell, Table, TableRow } from '../table.ts';
import { type Problem, refuseTable, TableError } from '../table-error.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** JSON Lines: `{"svc":{"id":…,"path":…,"tags":[…],"base":…},"metadata":{…}}`, of which null erases a pair. */
export function parseJsonl(text: string): Table {
  const problems: Problem[] = [];
  const keys = new Set<string>();
  const rows: TableRow[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const row = rowOf(index + 1, line);
      for (const key of row.pairs.keys()) keys.add(key);
      rows.push(row);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new TableError(problems);
  return { keys: [...keys], rows };
}

function rowOf(number: number, line: string): TableRow {
  const at = { row: number };
  let body: unknown;
  try {
    body = JSON.parse(line);
  } catch (error) {
    refuseTable(`no JSON: ${error instanceof Error ? error.message : error}`, at);
  }
  if (!isObject(body)) refuseTable('no JSON object: a row is {"svc":{…},"metadata":{…}}', at);
  const { svc = {}, metadata = {} } = body;
  if (!isObject(svc) || !isObject(metadata)) refuseTable('svc and metadata are JSON objects', at);
  const textAt = (name: string): string | undefined => {
    const value = svc[name];
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
    refuseTable('no text', { ...at, column: `svc.${name}` });
  };
  return {
    number,
    id: textAt('id'),
    path: textAt('path'),
    base: textAt('base'),
    tags: svc['tags'] === undefined ? undefined : tagsOf(svc['tags'], at),
    pairs: new Map(
      Object.entries(metadata).map(([key, value]) => [key, cellOf(value, { ...at, column: key })]),
    ),
    blanks: [],
  };
}

function cellOf(value: unknown, at: Omit<Problem, 'text'>): Cell {
  if (typeof value === 'string' || value === null) return value;
  refuseTable(`${JSON.stringify(value)} is no text: write it in quotes, or null to erase the pair`, at);
}

/** Null erases all of them. */
export function tagsOf(value: unknown, at: Omit<Problem, 'text'>): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value) && value.every((tag) => typeof tag === 'string')) return value;
  refuseTable('tags are a JSON array of texts, such as ["tumour","batch 7"]', { ...at, column: 'svc.tags' });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
