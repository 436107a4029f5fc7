import { FAR_MS, type Line } from '../line.ts';
import type { Result } from './results.ts';
import { isRate } from './table.ts';

/** A limit, and how the value that it limits follows from the results; undefined where rows for it are missing. */
export interface Target {
  readonly target: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  value(table: Lookup, results: readonly Result[]): number | undefined;
}

export type Lookup = (row: string, line: Line, peer: string) => Result | undefined;

export const US = 'svcfs';

/** Our median against the best of theirs, all of whom were measured; 1 is equal, in either unit. */
export function against(row: string, line: Line, peers: readonly string[], us = US): Target['value'] {
  return (table) => {
    const ours = table(row, line, us);
    const theirs = peers.flatMap((peer) => table(row, line, peer) ?? []);
    if (ours === undefined || theirs.length < peers.length) return undefined;
    const values = theirs.map(({ median }) => median);
    return ours.median / (isRate(ours.unit) ? Math.max(...values) : Math.min(...values));
  };
}

export function ours(
  row: string,
  line: Line,
  of: (result: Result) => number | undefined,
  us = US,
): Target['value'] {
  return (table) => {
    const result = table(row, line, us);
    return result === undefined ? undefined : of(result);
  };
}

export const inRoundTrips = ({ median }: Result): number => median / FAR_MS;
export const apiRequestsOf = ({ apiRequests }: Result): number | undefined => apiRequests;
export const cpuPerGib = ({ cpuSecondsPerGib }: Result): number | undefined => cpuSecondsPerGib;
/** Of peaks, no trial may be above. */
export const highestOf = ({ values }: Result): number => Math.max(...values);
