import type { ProxyLimit } from '../proxy/measure-proxy.ts';
import type { Sizes } from '../sizes.ts';
import { coresTable } from './cores.ts';
import { judge, type TargetOutcome, targetTable } from './judge.ts';
import { PREFACE } from './preface.ts';
import type { Failure, Result } from './results.ts';
import { short, tableOf } from './table.ts';

/** Everything a run found: the JSON, and what the document is made of. */
export interface Report {
  readonly date: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly sizes: Sizes;
  readonly proxy: ProxyLimit;
  readonly results: readonly Result[];
  readonly targets: readonly TargetOutcome[];
  readonly failures: readonly Failure[];
}

export function reportOf(found: Omit<Report, 'targets'>): Report {
  return { ...found, targets: judge(found.results) };
}

/** In Markdown: targets first, then every row. */
export function documentOf({ date, machine, sizes, proxy, results, targets, failures }: Report): string {
  const rowsOf = (of: object): string =>
    Object.entries(of)
      .map(([name, value]) => `| ${name} | ${value} |`)
      .join('\n');
  return `# Results of scripts/bench

Written by \`scripts/bench --results\` on ${date}. Ratios within a run mean something; absolute numbers mean this machine.

| machine | |
|---|---|
${rowsOf(machine)}

| sizes | |
|---|--:|
${rowsOf(sizes)}

${proxyText(proxy)}
${PREFACE}
## Targets

${targetTable(targets)}

## Every row

CPU and memory are the client's alone. "curl" is what the network and the server give without a file system.

${tableOf(results)}
${coresText(results)}${failures.length === 0 ? '' : `\n## Failed\n\n${failures.map(failureText).join('\n')}\n`}`;
}

function proxyText({ oneConnection, eightConnections, eightFar }: ProxyLimit): string {
  const [one, eight, far] = [oneConnection, eightConnections, eightFar].map(
    (value) => `${short(value)} MiB/s`,
  );
  return `Limit of the latency proxy, between curl and nginx: ${one} over one connection and ${eight} over eight at 0 ms, ${far} over eight at 20 ms.\n`;
}

function coresText(results: readonly Result[]): string {
  const table = coresTable(results);
  if (table === undefined) return '';
  return `
## Where the time of the processors went

In core seconds, of the trial that is nearest to the median. Columns add up to "all", but for the interrupts: the kernel counts
them in ticks, and as time of whoever was interrupted. "Stolen" is what the host took.

${table}
`;
}

function failureText({ family, line, peer, reason }: Failure): string {
  return `- ${family}, ${line}, ${peer}: ${reason.split('\n', 1)[0]}`;
}
