import type { GridRow } from './grid.ts';

/**
 * Tab-separated values as `@tsv` of jq writes them: a tab, a line feed, a carriage return and a backslash are written as
 * two characters, and quotes mean nothing. So `cut`, `awk` and `sort` work on a line each.
 */
export function parseTsv(text: string): readonly GridRow[] {
  return text.split('\n').map((line, index) => ({
    number: index + 1,
    cells: line.replace(/\r$/, '').split('\t').map(unescapeCell),
  }));
}

export function tsvLine(cells: readonly string[]): string {
  return `${cells.map(escapeCell).join('\t')}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

function escapeCell(text: string): string {
  return text.replace(/[\t\n\r\\]/g, (character) => ESCAPES[character] ?? character);
}

/** A backslash before another character stands for itself. */
function unescapeCell(text: string): string {
  return text.includes('\\')
    ? text.replace(/\\([tnr\\])/g, (_, character: string) => MEANINGS[character] ?? '')
    : text;
}
