import type { PrintedRow, PrintedTable } from '../format/print-table.ts';
import { type ChangePlan, changed, type RowPlan } from '../plan/row-plan.ts';
import { rowHash } from '../row-hash.ts';
import { byteOrder } from './export-table.ts';

/**
 * The table that takes the changes back: the old value of each cell that changes. Its hashes are of what the files have
 * after the changes, so that what others change later is a conflict.
 */
export function undoTable(plans: readonly RowPlan[]): PrintedTable {
  const changes = plans.filter((plan) => plan.kind === 'change');
  const keys = new Set(
    changes.flatMap(({ changes: cells }) =>
      cells.flatMap((cell) => (cell.kind === 'pair' ? [cell.key] : [])),
    ),
  );
  return {
    facts: ['svc.id', 'svc.path', 'svc.tags', 'svc.base'],
    keys: [...keys].sort(byteOrder),
    rows: changes.map(undoRow),
  };
}

function undoRow({ row, file, changes }: ChangePlan): PrintedRow {
  return {
    facts: {
      'svc.id': file.id,
      'svc.path': row.path,
      'svc.tags': changes.find((change) => change.kind === 'tags')?.before,
      'svc.base': rowHash(changed(file, changes)),
    },
    pairs: new Map(
      changes.flatMap((change) => (change.kind === 'pair' ? [[change.key, change.before ?? null]] : [])),
    ),
  };
}
