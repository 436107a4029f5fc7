import type { RowPlan } from '../plan/row-plan.ts';
import type { Annotated } from '../row-hash.ts';

/** `not sent`: it was not come to. `failed`, without a number: no answer tells. */
export type Outcome = 'done' | 'unchanged' | 'conflict' | 'not sent' | 'failed' | `failed ${number}`;

export interface RowResult {
  readonly plan: RowPlan;
  readonly outcome: Outcome;
  readonly detail?: string | undefined;
  /** The tags and pairs that the file has now, where that was told. */
  readonly now?: Annotated | undefined;
}

export function isFailure({ outcome }: RowResult): boolean {
  return outcome !== 'done' && outcome !== 'unchanged';
}
