import type { Series } from '../page-model.ts';
import { describeSize, rateText } from './format.ts';

export interface Line {
  readonly series: Series;
  readonly name: string;
  readonly tone: 'first' | 'second';
}

/** Lines of one unit, which share a chart. */
export interface ChartPlan {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly words: (value: number) => string;
  /** The least top of the scale, so that a line near nothing does not look like one that jumps. */
  readonly atLeast: number;
  readonly isBytes?: boolean;
  readonly isLog?: boolean;
}

export const PLANS: readonly ChartPlan[] = [
  {
    title: 'Throughput',
    lines: [
      { series: 'downRate', name: 'from the store', tone: 'first' },
      { series: 'upRate', name: 'to the store', tone: 'second' },
    ],
    words: rateText,
    atLeast: 1024,
    isBytes: true,
  },
  {
    title: 'Latency of operations',
    lines: [
      { series: 'medianMs', name: 'half within', tone: 'first' },
      { series: 'slowMs', name: '99 % within', tone: 'second' },
    ],
    words: msText,
    atLeast: 1,
    isLog: true,
  },
  {
    title: 'Operations and requests',
    lines: [
      { series: 'operations', name: 'operations of programs', tone: 'first' },
      { series: 'requests', name: 'requests to the service', tone: 'second' },
    ],
    words: (value) => `${plain(value)}/s`,
    atLeast: 1,
  },
  {
    title: 'Requests left',
    lines: [{ series: 'requestsLeft', name: 'of the limit', tone: 'first' }],
    words: plain,
    atLeast: 10,
  },
  {
    title: 'Memory and disk cache',
    lines: [
      { series: 'memoryBytes', name: 'memory', tone: 'first' },
      { series: 'cachedBytes', name: 'disk cache', tone: 'second' },
    ],
    words: (value) => describeSize(Math.round(value)),
    atLeast: 1024 * 1024,
    isBytes: true,
  },
];

function plain(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

function msText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${Number(ms.toPrecision(2))} ms`;
}
