import { nameOfLine } from '../line.ts';
import type { Result } from './results.ts';
import { short } from './table.ts';
import type { Lookup } from './target.ts';
import { TARGETS } from './targets.ts';

export interface TargetOutcome {
  readonly target: string;
  readonly limit: string;
  /** Undefined: the run has no such rows. */
  readonly value: number | undefined;
  readonly met: boolean | undefined;
}

export function judge(results: readonly Result[]): readonly TargetOutcome[] {
  const table: Lookup = (row, line, peer) =>
    results.find((result) => result.row === row && result.line === nameOfLine(line) && result.peer === peer);
  return TARGETS.map(({ target, atLeast, atMost, value: valueIn }) => {
    const value = valueIn(table, results);
    const limit = atLeast === undefined ? `≤ ${short(atMost ?? 0)}` : `≥ ${short(atLeast)}`;
    const met =
      value === undefined ? undefined : value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
    return { target, limit, value, met };
  });
}

/** In Markdown. */
export function targetTable(outcomes: readonly TargetOutcome[]): string {
  const lines = outcomes.map(({ target, limit, value, met }) => {
    const judged = met === undefined ? 'not measured' : met ? 'met' : '**missed**';
    return `| ${target} | ${limit} | ${value === undefined ? '' : short(value)} | ${judged} |`;
  });
  return ['| target | limit | measured | |', '|---|--:|--:|---|', ...lines].join('\n');
}
