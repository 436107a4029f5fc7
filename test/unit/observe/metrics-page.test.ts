/** METRICS.md, the Grafana board and the alert rules name the metrics that are there. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { mountMetrics } from '../../../src/cli/mount/mount-metrics.ts';
import { processMetrics } from '../../../src/observe/process-metrics.ts';
import type { Metric } from '../../../src/observe/prometheus-text.ts';
import { ServiceStats } from '../../../src/service/http/service-stats.ts';
import { ServiceMetrics } from '../../../src/service/operations/monitoring/service-metrics.ts';
import { watchServices } from '../../../src/service/watch-services.ts';
import { busyStatistics } from '../cli/some-statistics.ts';

interface Board {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly datasource?: unknown;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const FOLDER = new URL('../../../src/observe/', import.meta.url);
const PAGE = readFileSync(new URL('METRICS.md', FOLDER), 'utf8');
const BOARD: Board = JSON.parse(readFileSync(new URL('svcfs-board.json', FOLDER), 'utf8'));
const RULES: Rules = parse(readFileSync(new URL('svcfs-alerts.yaml', FOLDER), 'utf8'));

function rowOf(name: string, type: string, labels: readonly string[], help: string): string {
  return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`;
}

function labelsOf({ samples }: Metric): readonly string[] {
  return [...new Set(samples.flatMap(({ labels = {} }) => Object.keys(labels)))];
}

function rowsOfMount(): readonly string[] {
  const info = { version: '1.2.3', mountPoint: '/mnt/svc' };
  return [...mountMetrics(busyStatistics(), info), ...processMetrics()].map((metric) =>
    rowOf(metric.name, metric.type, labelsOf(metric), metric.help),
  );
}

/** Prom-client does not declare what every metric of it has. */
interface Registered {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

async function rowsOfService(): Promise<readonly string[]> {
  const metrics = new ServiceMetrics();
  // The database is away: the names are there all the same.
  watchServices({ metrics, stats: new ServiceStats() } as unknown as Parameters<typeof watchServices>[0]);
  const types = new Map((await metrics.registry.getMetricsAsJSON()).map(({ name, type }) => [name, type]));
  return (metrics.registry.getMetricsAsArray() as unknown as readonly Registered[])
    .filter(({ name }) => name.startsWith('svcfs_'))
    .map(({ name, help, labelNames }) => rowOf(name, String(types.get(name)), labelNames, help));
}

function rowsBelow(heading: string): readonly string[] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

it('the page has every metric of a mount, and no other', () => {
  expect(rowsBelow('A mount')).toEqual(rowsOfMount());
});

it('the page has every metric of the service, and no other', async () => {
  expect(rowsBelow('The service')).toEqual(await rowsOfService());
});

/** With the names of the series of a histogram. */
function namesOnPage(): ReadonlySet<string> {
  const names = [...PAGE.matchAll(/^\| `(\w+)` \| (\w+) /gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  return new Set(names);
}

function unknownIn(expressions: readonly string[]): readonly string[] {
  const names = namesOnPage();
  return expressions
    .flatMap((expression) => expression.match(/\b(?:svcfs|process)_\w+/g) ?? ['no metric'])
    .filter((name) => !names.has(name));
}

it('the board asks for metrics that are there, by the data source that is chosen', () => {
  const panels = BOARD.panels.filter(({ type }) => type !== 'row');
  expect(panels.length).toBeGreaterThan(15);
  for (const { title, targets = [], datasource } of panels) {
    expect.soft(unknownIn(targets.map(({ expr }) => expr)), title).toEqual([]);
    expect.soft(datasource, title).toEqual({ type: 'prometheus', uid: `$${'{datasource}'}` });
  }
});

it('the alerts ask for metrics that are there', () => {
  const rules = RULES.groups.flatMap(({ rules: of }) => of);
  expect(rules.length).toBeGreaterThan(8);
  for (const { alert, expr } of rules) expect.soft(unknownIn([expr]), alert).toEqual([]);
});
