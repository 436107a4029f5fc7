import { BUCKET_ENDS_MS, type DurationsSnapshot } from './durations.ts';

type Labels = Readonly<Record<string, string>>;

/** One value, told apart from others of its metric by labels. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface DurationsSample {
  readonly labels?: Labels;
  readonly durations: DurationsSnapshot;
}

interface Named {
  readonly name: string;
  readonly help: string;
}

export interface Value extends Named {
  /** A counter only ever grows. */
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

export interface Histogram extends Named {
  readonly type: 'histogram';
  readonly samples: readonly DurationsSample[];
  /** Shorter durations are told in one bucket: nobody asks for the parts of it. Default: 0. */
  readonly fromMs?: number;
}

export type Metric = Value | Histogram;

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The text that Prometheus reads (exposition format 0.0.4) of values that were counted elsewhere. Durations are told in
 * seconds.
 */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => `${linesOf(metric).join('\n')}\n`).join('\n');
}

function linesOf(metric: Metric): readonly string[] {
  const { name, help, type } = metric;
  const samples =
    metric.type === 'histogram'
      ? metric.samples.flatMap((sample) => bucketLines(name, sample, metric.fromMs ?? 0))
      : metric.samples.map(({ labels, value }) => line(name, labels, value));
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...samples];
}

function bucketLines(name: string, { labels, durations }: DurationsSample, fromMs: number): string[] {
  const { buckets, count, ms } = durations;
  const lines: string[] = [];
  let upTo = 0;
  for (const end of BUCKET_ENDS_MS) {
    upTo += buckets[String(end)] ?? 0;
    if (end < fromMs) continue;
    const le = end === Number.POSITIVE_INFINITY ? '+Inf' : String(end / 1000);
    lines.push(line(`${name}_bucket`, { ...labels, le }, upTo));
  }
  return [...lines, line(`${name}_sum`, labels, ms / 1000), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels | undefined, value: number): string {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${quoted(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '\\"');
}
