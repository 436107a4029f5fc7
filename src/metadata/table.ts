/**
 * A table of metadata: one row a file. The columns that begin with `svc.` tell facts of the file, all others are metadata
 * keys. Only tags and pairs can be changed by a table.
 */

export type Format = 'tsv' | 'csv' | 'jsonl';
export const FORMATS: readonly Format[] = ['tsv', 'csv', 'jsonl'];

/** The columns of an export, in their order. */
export const EXPORT_COLUMNS = ['svc.id', 'svc.path', 'svc.size', 'svc.tags', 'svc.base'] as const;
/** The columns that a table of results has besides. */
export const RESULT_COLUMNS = ['svc.result', 'svc.detail'] as const;

export type FactColumn = (typeof EXPORT_COLUMNS)[number] | (typeof RESULT_COLUMNS)[number];

/** A value, or null: the pair is to be erased. */
export type Cell = string | null;

/** A row as it asks for changes. What it does not name is left alone. */
export interface TableRow {
  /** As an editor or a spreadsheet numbers it: the header is row 1. */
  readonly number: number;
  readonly id: string | undefined;
  readonly path: string | undefined;
  /** The hash at export. */
  readonly base: string | undefined;
  /** Undefined: left alone. */
  readonly tags: readonly string[] | undefined;
  readonly pairs: ReadonlyMap<string, Cell>;
  /** Keys with a blank cell, which are left alone. */
  readonly blanks: readonly string[];
}

export interface Table {
  /** Metadata keys that are columns, in their order. */
  readonly keys: readonly string[];
  readonly rows: readonly TableRow[];
}
