/**
 * Requests a second and latencies of the service itself: `scripts/bench-service [--seconds N] [--connections N]`.
 *
 * One process of the built program serves, on SQLite and on PostgreSQL in turn; the load comes from this process, on the
 * same machine, so that what is measured is what is left beside it. CPU time per request is the number to compare.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { dirSync } from 'tmp';
import { createLogger } from '../../../src/observe/logger.ts';
import { openServices } from '../../../src/service/start-service.ts';
import { BackgroundProcess } from '../../support/background-process.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { describeMachine, loadNow } from '../report/machine.ts';
import { type MeasuredCall, prepareCalls } from './calls.ts';

const MAIN = new URL('../../../dist/cli/main.js', import.meta.url).pathname;
const WARM_UP_SECONDS = 2;

interface Served {
  readonly url: string;
  readonly monitor: string;
  readonly token: string;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16' },
    profile: { type: 'string' },
  },
});
await main();

async function main(): Promise<void> {
  const { processor, node } = await describeMachine();
  console.log(`${processor}, Node.js ${node}, load ${loadNow()}; ${values.connections} connections\n`);
  console.log('| call | engine | requests/s | median ms | p99 ms | CPU ms a request |');
  console.log('|---|---|--:|--:|--:|--:|');
  await measureEngine('SQLite', undefined);
  const postgres = await PostgresServer.start();
  try {
    await measureEngine('PostgreSQL', await postgres.databases.create());
  } finally {
    await postgres.stop();
  }
}

async function measureEngine(engine: string, databaseUrl: string | undefined): Promise<void> {
  const directory = dirSync({ prefix: 'svcfs-load', unsafeCleanup: true });
  const logger = createLogger({ fd: 2, level: 'error' });
  const secretKeys = { text: randomBytes(32).toString('hex'), source: 'the benchmark' };
  const options = { dataDir: directory.name, databaseUrl, secretKeys, rateLimit: 'off', logger } as const;
  const services = await openServices(options);
  const { token, calls } = await prepareCalls(services);
  await services.store.close();
  const args = ['serve', '--data', directory.name, '--listen', '127.0.0.1:0', '--monitor', '127.0.0.1:0'];
  const inspect = values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile];
  const service = new BackgroundProcess('node', [...inspect, MAIN, ...args, '--rate-limit', 'off'], {
    SVCFS_DATABASE: databaseUrl,
    SVCFS_SECRET_KEY: secretKeys.text,
  });
  try {
    const [, monitor = ''] = await service.says(/metrics and health on (\S+)/);
    const [, url = ''] = await service.says(/listening on (\S+)/);
    for (const call of calls) await measure({ url, monitor, token }, call, engine);
  } finally {
    await service.end();
    directory.removeCallback();
  }
}

async function measure(served: Served, call: MeasuredCall, engine: string): Promise<void> {
  await load(served, call, WARM_UP_SECONDS);
  await delay(500);
  const before = await cpuSeconds(served);
  const { requests, latency, non2xx, errors } = await load(served, call, Number(values.seconds));
  if (non2xx + errors > 0) throw new Error(`${call.name}: ${non2xx} refused, ${errors} failed`);
  const cpuMs = ((await cpuSeconds(served)) - before) * 1000;
  const cells = [
    call.name,
    engine,
    Math.round(requests.average),
    latency.p50,
    latency.p99,
    (cpuMs / requests.total).toFixed(2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function load(
  { url, token }: Served,
  { method, paths, body }: MeasuredCall,
  seconds: number,
): Promise<autocannon.Result> {
  return autocannon({
    url,
    duration: seconds,
    connections: Number(values.connections),
    headers: { 'X-SVC-Auth-Token': token, 'Content-Type': 'application/json' },
    requests: paths.map((path) => ({
      method,
      path: `${new URL(url).pathname}${path}`,
      ...(body === undefined ? {} : { body }),
    })),
  });
}

async function cpuSeconds({ monitor }: Served): Promise<number> {
  const text = await (await fetch(`${monitor}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}
