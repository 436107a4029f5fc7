import { useState } from 'preact/hooks';
import type { HistoryView, Series } from '../page-model.ts';
import { Chart, type Line } from './chart.tsx';
import { ChartTable } from './chart-table.tsx';
import { describeSize, rateText } from './format.ts';
import { Section } from './section.tsx';

/** Lines of one unit, which share a chart. */
export interface ChartPlan {
  readonly title: string;
  readonly lines: readonly (Line & { readonly series: Series })[];
  readonly words: (value: number) => string;
  /** The least top of the scale, so that a line near nothing does not look like one that jumps. */
  readonly atLeast: number;
  readonly isBytes?: boolean;
  readonly isLog?: boolean;
}

const PLANS: readonly ChartPlan[] = [
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

/** The last hour. Lines of which nothing was measured are left out, and charts without lines. */
export function Charts({ history }: { readonly history: HistoryView }) {
  const [isTable, setTable] = useState(false);
  const plans = PLANS.map((plan) => ({
    ...plan,
    lines: plan.lines.filter(({ series }) => history.values[series].some((value) => value !== null)),
  })).filter(({ lines }) => lines.length > 0);
  return (
    <Section id="history" title="The last hour">
      {plans.length === 0 ? (
        <p class="muted">The first sample comes ten seconds after the mount began.</p>
      ) : (
        <>
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Show as charts' : 'Show as a table'}
          </button>
          {isTable ? (
            <ChartTable history={history} plans={plans} />
          ) : (
            <div class="charts">
              {plans.map((plan) => (
                <Chart key={plan.title} history={history} plan={plan} />
              ))}
            </div>
          )}
        </>
      )}
    </Section>
  );
}

function plain(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

function msText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${Number(ms.toPrecision(2))} ms`;
}
