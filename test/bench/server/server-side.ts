import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RateLimit } from '../../../src/config/option-text.ts';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { Child } from '../measure/child.ts';
import { usageOf, withChildren } from '../measure/process-usage.ts';
import { startLatencyProxy } from '../proxy/latency-proxy.ts';
import type { Sizes } from '../sizes.ts';
import { type Counts, countLines, countRefusals } from './counts.ts';
import { type DataSet, makeDataSet } from './data-set.ts';
import { startNginx } from './nginx.ts';
import { startS3Lists } from './s3-lists.ts';

/** The addresses for clients (`nginx.ts`); `service` is the service without nginx before it. */
export const DOORS = ['platform', 'extended', 'service', 'dav', 's3'] as const;
export type Door = (typeof DOORS)[number];

/** Everything the clients talk to, on this machine. */
export interface ServerSide {
  readonly dataSet: DataSet;
  /** The port of a door at an added latency. */
  port(door: Door, latencyMs: number): number;
  /** Requests and bytes that a door has answered so far. */
  counts(door: Door): Promise<Counts>;
  /** Answers 429 of a door so far. */
  refusals(door: Exclude<Door, 'service'>): Promise<number>;
  /** CPU seconds so far: of nginx and the service, and of the latency proxies. */
  usage(): Promise<{ readonly servers: number; readonly proxies: number }>;
  end(): Promise<void>;
}

export interface ServerSideOptions {
  readonly directory: string;
  readonly kept: string;
  readonly sizes: Sizes;
  readonly latenciesMs: readonly number[];
  /** Of the service, and of the door `dav`. */
  readonly rateLimit: RateLimit | 'off';
}

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export async function startServerSide(options: ServerSideOptions): Promise<ServerSide> {
  const { directory, kept, sizes, latenciesMs, rateLimit } = options;
  await mkdir(directory, { recursive: true });
  const dataSet = await makeDataSet(directory, { kept, sizes });
  const service = await startService({ directory, data: dataSet.data, rateLimit });
  const parts = join(directory, 'parts');
  const lists = await startS3Lists(dataSet.tree, parts);
  const ports = {
    platform: await freePort(),
    extended: await freePort(),
    dav: await freePort(),
    s3: await freePort(),
  };
  const nginx = await startNginx({
    directory,
    ports,
    parts,
    servicePort: service.port,
    s3ListsPort: lists.port,
    data: dataSet.data,
    tree: dataSet.tree,
    rateLimit,
  });
  const direct: Record<Door, number> = { ...ports, service: service.port };
  const servers = [service.child, nginx.child];
  const proxies: Child[] = [];
  const delayed = new Map<string, number>();
  for (const latencyMs of latenciesMs.filter((ms) => ms > 0)) {
    for (const door of DOORS) {
      const proxy = await startLatencyProxy(direct[door], latencyMs, directory);
      proxies.push(proxy.child);
      delayed.set(`${door} ${latencyMs}`, proxy.port);
    }
  }
  return {
    dataSet,
    port: (door, latencyMs) => delayed.get(`${door} ${latencyMs}`) ?? direct[door],
    counts: async (door) =>
      door === 'service'
        ? countsOfService(service.port)
        : countLines(await readFile(nginx.accessLog, 'utf8'), direct[door]),
    refusals: async (door) => countRefusals(await readFile(nginx.accessLog, 'utf8'), direct[door]),
    usage: async () => ({ servers: await cpuSecondsOf(servers), proxies: await cpuSecondsOf(proxies) }),
    end: async () => {
      for (const child of [...proxies, ...servers]) await child.end();
      lists.close();
    },
  };
}

async function startService(options: {
  readonly directory: string;
  readonly data: string;
  readonly rateLimit: RateLimit | 'off';
}): Promise<{ readonly child: Child; readonly port: number }> {
  const { directory, data, rateLimit } = options;
  const log = join(directory, 'service.log');
  const fixed = ['serve', '--listen', '127.0.0.1:0', '--internal-stats'];
  const limit = rateLimit === 'off' ? rateLimit : `${rateLimit.requests}/${rateLimit.windowSeconds}`;
  const args = [...fixed, '--data', data, '--rate-limit', limit];
  const child = await Child.start(process.execPath, [MAIN, ...args], { log });
  const said = async (): Promise<string | undefined> =>
    /listening on http:\/\/[^:]+:(\d+)/.exec(await readFile(log, 'utf8'))?.[1];
  await waitUntil(async () => (await said()) !== undefined, { what: 'the service', timeoutMs: 30_000 });
  return { child, port: Number(await said()) };
}

async function cpuSecondsOf(children: readonly Child[]): Promise<number> {
  const pids = await Promise.all(children.map(({ pid }) => withChildren(pid)));
  return (await usageOf(pids.flat())).cpuSeconds;
}

async function countsOfService(port: number): Promise<Counts> {
  const stats = (await (await fetch(`http://127.0.0.1:${port}/internal/stats`)).json()) as {
    readonly apiRequests: number;
    readonly storagePuts: number;
    readonly storageGets: number;
    readonly storageGetBytes: number;
  };
  return {
    apiRequests: stats.apiRequests,
    dataRequests: stats.storagePuts + stats.storageGets,
    sentBytes: stats.storageGetBytes,
  };
}
