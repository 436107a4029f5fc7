import type { MountSamples } from '../../mount/mount-history.ts';
import type { HistoryView, Series, Values } from '../page-model.ts';

type Samples = Omit<HistoryView, 'id'>;

const NONE: Values = [];

export const NO_HISTORY: Samples = {
  atMs: [],
  values: {
    ...{ downRate: NONE, upRate: NONE, operations: NONE, requests: NONE, medianMs: NONE, slowMs: NONE },
    ...{ requestsLeft: NONE, memoryBytes: NONE, cachedBytes: NONE },
  },
};

/** An hour of samples each ten seconds. */
const MOST = 360;

/** The newest of both. */
export function joined(before: Samples, after: MountSamples): Samples {
  if (after.atMs.length === 0) return before;
  const names = Object.keys(before.values) as Series[];
  return {
    atMs: [...before.atMs, ...after.atMs].slice(-MOST),
    values: Object.fromEntries(
      names.map((name) => [name, [...before.values[name], ...after.values[name].map(rounded)].slice(-MOST)]),
    ) as unknown as Samples['values'],
  };
}

/** More digits than a chart can show only cost their way to the page. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}
