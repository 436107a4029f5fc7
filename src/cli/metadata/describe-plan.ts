import { printable } from '../../lib/printable.ts';
import type { CellChange, RowPlan } from '../../metadata/plan/row-plan.ts';

/** A line for each cell that differs, and one for each conflict. */
export function* describePlans(plans: readonly RowPlan[]): Generator<string> {
  for (const plan of plans) {
    const path = printable(plan.path);
    if (plan.kind === 'conflict') yield `${path}: conflict: ${printable(plan.reason)}`;
    if (plan.kind === 'change') for (const change of plan.changes) yield `${path}: ${describeChange(change)}`;
  }
}

function describeChange(change: CellChange): string {
  if (change.kind === 'tags') return `svc.tags: ${shown(change.before)} -> ${shown(change.after)}`;
  return `${printable(change.key)}: ${shown(change.before)} -> ${shown(change.after ?? undefined)}`;
}

function shown(value: string | readonly string[] | undefined): string {
  return value === undefined ? '(none)' : printable(JSON.stringify(value));
}
