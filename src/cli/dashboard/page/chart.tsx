import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import type { HistoryView } from '../page-model.ts';
import { type ChartData, chartData, describeChart } from './chart-data.ts';
import type { ChartPlan } from './chart-plans.ts';
import { clockText } from './format.ts';

interface ChartProps {
  readonly history: HistoryView;
  readonly plan: ChartPlan;
}

/** A chart of an hour. What it shows is told in words to who cannot see it; values under the pointer stand below it. */
export function Chart({ history, plan }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot | undefined>(undefined);
  const [at, setAt] = useState<number | undefined>(undefined);
  const scheme = useScheme();
  const data = chartData(history, plan);
  const names = plan.lines.map(({ name }) => name).join();

  useEffect(() => {
    const home = place.current;
    if (home === null) return;
    const chart = new UPlot(optionsOf(home, plan, setAt), data as UPlot.AlignedData, home);
    const resizing = new ResizeObserver(() => chart.setSize({ width: home.clientWidth, height: HEIGHT }));
    resizing.observe(home);
    drawn.current = chart;
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [scheme, names]);

  useEffect(() => drawn.current?.setData(data as UPlot.AlignedData), [history]);

  return (
    <figure class="chart">
      <figcaption>{plan.title}</figcaption>
      <div ref={place} role="img" aria-label={describeChart(plan, data)} />
      <Legend plan={plan} data={data} at={at} />
    </figure>
  );
}

interface LegendProps {
  readonly plan: ChartPlan;
  readonly data: ChartData;
  /** Index of the sample under the pointer; undefined: the last one is told. */
  readonly at: number | undefined;
}

function Legend({ plan, data, at }: LegendProps) {
  const [times, ...lines] = data;
  const index = at ?? times.length - 1;
  const seconds = times[index];
  return (
    <ul class="legend">
      {plan.lines.map(({ name, tone }, number) => {
        const value = lines[number]?.[index];
        return (
          <li key={name} class={tone}>
            {name} <strong>{value === null || value === undefined ? '–' : plan.words(value)}</strong>
          </li>
        );
      })}
      <li>{seconds === undefined ? '' : clockText(seconds * 1000)}</li>
    </ul>
  );
}

const HEIGHT = 170;
const HOUR_SECONDS = 3600;
const LEAST_SECONDS = 300;

function optionsOf(
  home: HTMLElement,
  plan: ChartPlan,
  onPoint: (at: number | undefined) => void,
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis: UPlot.Axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: home.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true, range: (_chart, first, last) => spanOf(first ?? 0, last ?? 0) },
      y: scaleOf(plan),
    },
    axes: [
      {
        ...axis,
        size: 30,
        space: 60,
        values: (_chart, splits) => splits.map((seconds) => clockText(seconds * 1000).slice(0, 5)),
      },
      {
        ...axis,
        ...(plan.isBytes && { incrs: BYTE_STEPS }),
        ...(plan.isLog && {
          grid: { ...axis.grid, filter: powersOfTen },
          ticks: { ...axis.ticks, filter: powersOfTen },
        }),
        size: 82,
        space: 34,
        values: (_chart, splits) => splits.map((value) => (value === null ? '' : plan.words(value))),
      },
    ],
    series: [
      {},
      ...plan.lines.map(
        ({ name, tone }): UPlot.Series => ({
          label: name,
          stroke: colour(tone),
          width: 2,
          // The second can be told from the first without its colour.
          dash: tone === 'second' ? [6, 4] : [],
          points: { show: false },
        }),
      ),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)],
    },
  };
}

/** An hour at most; less, while the mount is younger. */
function spanOf(first: number, last: number): [number, number] {
  return [Math.min(Math.max(first, last - HOUR_SECONDS), last - LEAST_SECONDS), last];
}

/** Durations are of all sizes: a scale that begins at nothing would show the longest alone. */
function scaleOf({ isLog, atLeast }: ChartPlan): UPlot.Scale {
  if (isLog) return { distr: 3, log: 10 };
  return { range: (_chart, _least, most) => [0, Math.max(atLeast, (most ?? 0) * 1.1)] };
}

/** Ten lines for each power of ten would hide the curves. */
function powersOfTen(_chart: UPlot, splits: readonly number[]): (number | null)[] {
  return splits.map((value) => (Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null));
}

/** Steps of a scale of bytes: 1, 2 and 5, and ten times and a hundred times that, of each unit. */
const BYTE_STEPS = [0, 1, 2, 3, 4].flatMap((unit) =>
  [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * 1024 ** unit),
);

/** Changes when the person's scheme of colours does: a canvas does not follow by itself. */
function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const follow = (): void => setDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return isDark;
}

const DARK = '(prefers-color-scheme: dark)';
