import { FAR_MS } from '../stage.ts';
import type { Result } from './results.ts';
import { isRate } from './table.ts';

/** A limit, and how the value that it limits follows from the results; undefined where rows for it are missing. */
export interface Target {
  readonly target: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  value(table: Lookup, results: readonly Result[]): number | undefined;
}

export type Lookup = (row: string, latencyMs: number, peer: string) => Result | undefined;

export const US = 'svcfs';

/** Our median against the best of theirs, all of whom were measured; 1 is equal, in either unit. */
export function against(row: string, latencyMs: number, peers: readonly string[], us = US): Target['value'] {
  return (table) => {
    const ours = table(row, latencyMs, us);
    const theirs = peers.flatMap((peer) => table(row, latencyMs, peer) ?? []);
    if (ours === undefined || theirs.length < peers.length) return undefined;
    const values = theirs.map(({ median }) => median);
    return ours.median / (isRate(ours.unit) ? Math.max(...values) : Math.min(...values));
  };
}

export function ours(
  row: string,
  latencyMs: number,
  of: (result: Result) => number | undefined,
  us = US,
): Target['value'] {
  return (table) => {
    const result = table(row, latencyMs, us);
    return result === undefined ? undefined : of(result);
  };
}

export const inRoundTrips = ({ median }: Result): number => median / FAR_MS;
export const apiRequestsOf = ({ apiRequests }: Result): number | undefined => apiRequests;
/** Of peaks, no trial may be above. */
export const highestOf = ({ values }: Result): number => Math.max(...values);
