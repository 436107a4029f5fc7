import type { ProxyLimit } from '../proxy/measure-proxy.ts';
import type { Sizes } from '../sizes.ts';
import type { Failure, Result } from './results.ts';
import { short, tableOf } from './table.ts';
import { judge, type TargetOutcome, targetTable } from './targets.ts';

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
Who talks to what: every download comes from one nginx (svcfs and curl by the service's signed addresses, rclone by WebDAV,
s3fs by S3), except in the lines that name the service's own storage. svcfs and \`curl -T\` send to the service, which
checks the MD5 of each part and flushes it; rclone and s3fs send to nginx, which does neither. At 20 ms a connection costs
one round trip more and its window grows from 64 KiB to 4 MiB. Cold is a new mount with empty caches.
svcfs reads as it does on the platform, which has neither \`upload_inline\` nor \`download_info_file\`: they are hidden from it,
but in the lines that name one of them (both are seen there), and where it talks to the service itself (the lines of the
service's own storage, and the rows that write large files, which have no use for them). What else the service adds to the
platform's API it sees.
One thread makes \`smallFiles\` small files, eight make \`smallFilesAtOnce\`, but on s3fs, which gets as few as one thread. A first
byte is the median of nine files in each trial (with nothing known, one file), with the requests of all of them; each file is
in a folder of its own, so that nothing that is asked about one of them tells of the next.
The row with a rate limit has \`limitedFiles\` files to upload, begins with the whole budget, and is run once. Its floor is what was
answered beyond that budget, at the rate of the limit. The service counts in windows, as the platform does: who has used one up
waits for its end. nginx, which limits rclone, has a leaky bucket: its budget grows back all the time.

## Targets

${targetTable(targets)}

## Every row

CPU and memory are the client's alone. "curl" is what the network and the server give without a file system.

${tableOf(results)}
${failures.length === 0 ? '' : `\n## Failed\n\n${failures.map(failureText).join('\n')}\n`}`;
}

function proxyText({ oneConnection, eightConnections, eightFar }: ProxyLimit): string {
  const [one, eight, far] = [oneConnection, eightConnections, eightFar].map(
    (value) => `${short(value)} MiB/s`,
  );
  return `Limit of the latency proxy, between curl and nginx: ${one} over one connection and ${eight} over eight at 0 ms, ${far} over eight at 20 ms.\n`;
}

function failureText({ family, latencyMs, peer, reason }: Failure): string {
  return `- ${family}, ${latencyMs} ms, ${peer}: ${reason.split('\n', 1)[0]}`;
}
