import type { PrintedTable } from '../format/print-table.ts';
import { rowHash } from '../row-hash.ts';
import type { RowResult } from './results.ts';

/** The rows as they were given, each with what became of it. It can be imported again: what is done is unchanged then. */
export function resultTable(results: readonly RowResult[], keys: readonly string[]): PrintedTable {
  return {
    facts: ['svc.id', 'svc.path', 'svc.result', 'svc.detail', 'svc.tags', 'svc.base'],
    keys,
    rows: results.map(({ plan: { row }, outcome, detail, now }) => ({
      facts: {
        'svc.id': row.id,
        'svc.path': row.path,
        'svc.result': outcome,
        'svc.detail': detail,
        'svc.tags': row.tags,
        'svc.base': now === undefined ? row.base : rowHash(now),
      },
      pairs: row.pairs,
    })),
  };
}
