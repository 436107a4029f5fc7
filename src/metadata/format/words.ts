/**
 * Words in the cells of TSV and CSV, where a blank cell means that the pair is left alone. A value that is such a word, with
 * any number of backslashes in front, gets one more.
 */
import type { Cell } from '../table.ts';

export const ERASE = '__DELETE__';
export const EMPTY = '__EMPTY__';

export function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (cell === null) return ERASE;
  if (cell === '') return EMPTY;
  return /^\\*__(?:DELETE|EMPTY)__$/.test(cell) ? `\\${cell}` : cell;
}

/** Undefined: blank. */
export function cellOf(text: string): Cell | undefined {
  if (text === '') return undefined;
  if (text === ERASE) return null;
  if (text === EMPTY) return '';
  return /^\\+__(?:DELETE|EMPTY)__$/.test(text) ? text.slice(1) : text;
}
