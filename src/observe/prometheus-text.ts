import { Counter, Gauge, Registry } from 'prom-client';

/** One value, told apart from others of its metric by labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  /** A counter only ever grows. */
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

/** The text that Prometheus reads (exposition format 0.0.4) of values that were counted elsewhere. */
export function prometheusText(metrics: readonly Metric[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, type, samples } of metrics) {
    const labelNames = [...new Set(samples.flatMap(({ labels = {} }) => Object.keys(labels)))];
    const config = { name, help, labelNames, registers: [registry] };
    const metric = type === 'counter' ? new Counter(config) : new Gauge(config);
    for (const { labels = {}, value } of samples) metric.inc(labels, value);
  }
  return registry.metrics();
}
