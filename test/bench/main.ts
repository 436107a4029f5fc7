/**
 * The benchmark: this project's mount beside what a user would pick instead, in one run, on the same data, through the
 * same latency. Run it with scripts/bench.
 *
 * All talk to servers on this machine (server/), straight or through a proxy that adds latency (native/latency-proxy.cc).
 * Every trial mounts anew with empty caches: that makes it cold. The server's data stays in memory, for it is not what is
 * measured.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BenchOptions, parseBenchOptions } from './bench-options.ts';
import { isSameLine, type Line } from './line.ts';
import { busyCores, whyNotQuiet } from './measure/busy-cores.ts';
import { keepMemory } from './measure/keep-memory.ts';
import { measureFamily } from './measure/measure-family.ts';
import { temporaryDirectory } from './measure/temporary-directory.ts';
import { rclone } from './peers/rclone.ts';
import { s3fs } from './peers/s3fs.ts';
import { svcfs } from './peers/svcfs.ts';
import { measureProxy } from './proxy/measure-proxy.ts';
import { coresTable } from './report/cores.ts';
import { targetTable } from './report/judge.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { documentOf, type Report, reportOf } from './report/report.ts';
import { Results } from './report/results.ts';
import { tableOf } from './report/table.ts';
import { FAMILIES } from './rows/families.ts';
import { BIG_FILES } from './server/names.ts';
import { type ServerAt, type ServerSide, startServerSide } from './server/server-side.ts';
import { SIZES, type Sizes } from './sizes.ts';
import type { Family, Stage } from './stage.ts';

const options = parseBenchOptions(process.argv.slice(2));
// The handler of `exit` ends, removes and sets back everything. These signals lead to it too, however often they come.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
// One for each server and mount.
process.setMaxListeners(100);
// For every node that is started from here.
if (options.profile !== undefined) {
  await mkdir(options.profile, { recursive: true });
  process.env['BENCH_PROFILE'] = resolve(options.profile);
  process.env['NODE_OPTIONS'] = `--import ${new URL('./measure/profile.mjs', import.meta.url)}`;
}
const families = FAMILIES.filter(({ name }) => options.rows.includes(name));
const asked = options.latency.flatMap((latencyMs): readonly Line[] =>
  options.tls ? [{ latencyMs }, { latencyMs, tls: true }] : [{ latencyMs }],
);
await main(options);

async function main({ serverDir, work, size, runs, json, results }: BenchOptions): Promise<void> {
  const sizes: Sizes = { ...SIZES[size], ...(runs === undefined ? {} : { runs }) };
  const notQuiet = whyNotQuiet(await busyCores());
  if (notQuiet !== undefined) {
    console.error(notQuiet);
    if (results !== undefined) process.exit(1);
  }
  const machine = await describeMachine();
  await mkdir(work, { recursive: true });
  const serverPlace = await temporaryDirectory(serverDir, 'svcfs-bench-');
  const place = await temporaryDirectory(work, 'run-');
  const places = { directory: place.path, serverDirectory: serverPlace.path, kept: join(work, 'kept') };
  try {
    console.error('making the data');
    const all = families.flatMap(linesOf);
    const lines = all.filter((line, index) => all.findIndex((other) => isSameLine(line, other)) === index);
    const servers = await startServerSide({
      ...places,
      directory: places.serverDirectory,
      sizes,
      lines,
      rateLimit: 'off',
    });
    const setting = { ...places, sizes, machine };
    const report = await measureAll(servers, setting).finally(() => servers.end());
    console.log(tableOf(report.results));
    console.log(`\n${coresTable(report.results) ?? ''}`);
    console.log(`\n${targetTable(report.targets.filter(({ met }) => met !== undefined))}`);
    await writeFile(json, `${JSON.stringify(report, undefined, 1)}\n`);
    console.log(`\nAll of it as JSON: ${json}`);
    if (results !== undefined) await writeFile(results, documentOf(report));
  } finally {
    await serverPlace.remove();
    await place.remove();
  }
}

type Places = Omit<Stage, 'server' | 'line' | 'mounts'>;
type Setting = Places & { readonly machine: Report['machine'] };

async function measureAll(servers: ServerSide, setting: Setting): Promise<Report> {
  const { machine, ...places } = setting;
  const { sizes, directory } = places;
  const file = { port: servers.davPort, path: BIG_FILES[0], sizeBytes: sizes.bigBytes };
  const proxy = await measureProxy(file, directory);
  const results = new Results();
  let mayKeep = true;
  for (const family of families) {
    if (family.keepsMemory !== false && mayKeep) {
      mayKeep = false;
      if (await keepMemory()) console.error('keeping memory from the hypervisor');
    }
    for (const line of linesOf(family)) {
      const stage = stageOf(servers.at(line), { line, ...places });
      await measureFamily(family, stage, { results, peers: options.peers });
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  const found = { results: results.all(), failures: results.failures };
  return reportOf({ date, machine: { ...machine, 'load after': loadNow() }, sizes, proxy, ...found });
}

function linesOf({ lines, overTls = false }: Family): readonly Line[] {
  return lines ?? asked.filter(({ tls }) => overTls || !tls);
}

function stageOf(server: ServerAt, rest: Places & Pick<Stage, 'line'>): Stage {
  const peers = { server, directory: rest.directory };
  const mounts = [
    svcfs({ ...peers, door: 'platform' }),
    rclone('off', peers),
    rclone('full', peers),
    rclone('off', { ...peers, protocol: 'S3' }),
    rclone('full', { ...peers, protocol: 'S3' }),
    s3fs(peers),
  ];
  return { ...rest, server, mounts };
}
