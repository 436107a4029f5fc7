import type { HistoryView, Series } from '../page-model.ts';
import type { ChartPlan } from './chart-plans.ts';

/** Seconds, and the values of each line. */
export type ChartData = readonly [readonly number[], ...(readonly (readonly (number | null)[])[])];

/** Two samples are so far apart only when the machine slept between them: the line is broken there. */
const GAP_MS = 30_000;

export function chartData({ atMs, values }: HistoryView, { lines }: Pick<ChartPlan, 'lines'>): ChartData {
  const breaks = atMs.flatMap((ms, index) => (ms - (atMs[index - 1] ?? ms) > GAP_MS ? [index] : []));
  const broken = <T>(list: readonly T[], between: (index: number) => T): T[] =>
    list.flatMap((item, index) => (breaks.includes(index) ? [between(index), item] : [item]));
  return [
    broken(atMs, (index) => (atMs[index] ?? 0) - 1).map((ms) => ms / 1000),
    ...lines.map(({ series }) => broken<number | null>(values[series], () => null)),
  ];
}

/** For who cannot see it: what each line is now, and its most. */
export function describeChart({ title, lines, words }: ChartPlan, [, ...data]: ChartData): string {
  const told = lines.map(({ name }, number) => {
    const known = (data[number] ?? []).flatMap((value) => (value === null ? [] : [value]));
    const last = known.at(-1);
    return last === undefined
      ? `${name}: nothing`
      : `${name}: ${words(last)} now, ${words(Math.max(...known))} at most`;
  });
  return `${title} over the last hour. ${told.join('; ')}.`;
}

/** The mean of each span of five minutes, newest first: as many rows as a person reads. */
export function rowsOf({ atMs, values }: HistoryView, series: readonly Series[]) {
  const spans = new Map<number, number[]>();
  for (const [index, ms] of atMs.entries()) {
    const begin = Math.floor(ms / SPAN_MS) * SPAN_MS;
    spans.set(begin, [...(spans.get(begin) ?? []), index]);
  }
  return [...spans].reverse().map(([beginMs, indices]) => ({
    beginMs,
    means: series.map((name) => mean(indices.flatMap((index) => values[name][index] ?? []))),
  }));
}

const SPAN_MS = 5 * 60_000;

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
