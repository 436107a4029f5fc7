import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import { Network } from '../../../src/api/network/network.ts';
import type { RateLimit } from '../../../src/config/option-text.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { NO_PROXIES } from '../../../src/lib/proxy-rules.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Line, nameOfLine } from '../line.ts';
import { Child } from '../measure/child.ts';
import { usageOf, withChildren } from '../measure/process-usage.ts';
import { startLatencyProxy } from '../proxy/latency-proxy.ts';
import type { Sizes } from '../sizes.ts';
import { type Counts, countLines, countRefusals } from './counts.ts';
import { type DataSet, makeDataSet } from './data-set.ts';
import { startNginx } from './nginx.ts';
import type { NginxPorts } from './nginx-configuration.ts';
import { startS3Lists } from './s3-lists.ts';

/** The addresses for clients (`nginx.ts`); `service` is the service without nginx before it, but for TLS. */
const DOORS = ['platform', 'extended', 'service', 'dav', 's3'] as const;
export type Door = (typeof DOORS)[number];

/** Everything the clients talk to, on this machine. */
export interface ServerSide {
  /** A port of this machine, straight to the WebDAV door. */
  readonly davPort: number;
  /** One of the lines that it was started with. */
  at(line: Line): ServerAt;
  end(): Promise<void>;
}

/** The servers as they are reached over one line. */
export interface ServerAt {
  readonly dataSet: DataSet;
  /** Of the servers, in PEM: to be given to clients, which have no other reason to trust them. */
  readonly certificate: string;
  /** Scheme, host and port. */
  origin(door: Door): string;
  /** A client of the API, closed by the caller. */
  apiAt(door: Door): ApiClient;
  /** Requests and bytes that a door has answered so far. */
  counts(door: Door): Promise<Counts>;
  /** Answers 429 of a door so far. */
  refusals(door: Exclude<Door, 'service'>): Promise<number>;
  /** CPU seconds so far: of nginx and the service, and of the latency proxies. */
  usage(): Promise<{ readonly servers: number; readonly proxies: number }>;
}

export interface ServerSideOptions {
  readonly directory: string;
  readonly kept: string;
  readonly sizes: Sizes;
  readonly lines: readonly Line[];
  /** Of the service, and of the door `dav`. */
  readonly rateLimit: RateLimit | 'off';
}

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export async function startServerSide(options: ServerSideOptions): Promise<ServerSide> {
  const { directory, kept, sizes, lines, rateLimit } = options;
  await mkdir(directory, { recursive: true });
  const dataSet = await makeDataSet(directory, { kept, sizes });
  const service = await startService({ directory, data: dataSet.data, rateLimit });
  const parts = join(directory, 'parts');
  const lists = await startS3Lists(dataSet.tree, parts);
  const certificate = await makeCertificate(directory);
  const [plain, secure] = [await freePorts(), await freePorts()];
  const nginx = await startNginx({
    directory,
    ports: { plain, secure },
    certificate,
    parts,
    servicePort: service.port,
    s3ListsPort: lists.port,
    data: dataSet.data,
    tree: dataSet.tree,
    rateLimit,
  });
  const direct: NginxPorts = { ...plain, service: service.port };
  const servers = [service.child, nginx.child];
  const proxies: Child[] = [];
  const delayed = new Map<string, number>();
  for (const line of lines.filter(({ latencyMs }) => latencyMs > 0)) {
    for (const door of DOORS) {
      const proxy = await startLatencyProxy((line.tls ? secure : direct)[door], line, directory);
      proxies.push(proxy.child);
      delayed.set(`${door} ${nameOfLine(line)}`, proxy.port);
    }
  }
  const at = (line: Line): ServerAt => {
    const ports = line.tls ? secure : direct;
    const origin = (door: Door): string =>
      `${line.tls ? 'https' : 'http'}://127.0.0.1:${delayed.get(`${door} ${nameOfLine(line)}`) ?? ports[door]}`;
    return {
      dataSet,
      certificate: certificate.path,
      origin,
      apiAt: (door) =>
        createApi({
          endpoint: `${origin(door)}/v2`,
          token: dataSet.token,
          clock: systemClock,
          network: new Network({ proxies: NO_PROXIES, authorities: [certificate.cert.toString()] }),
        }),
      counts: async (door) =>
        door === 'service'
          ? countsOfService(service.port)
          : countLines(await readFile(nginx.accessLog, 'utf8'), ports[door]),
      refusals: async (door) => countRefusals(await readFile(nginx.accessLog, 'utf8'), ports[door]),
      usage: async () => ({ servers: await cpuSecondsOf(servers), proxies: await cpuSecondsOf(proxies) }),
    };
  };
  return {
    davPort: plain.dav,
    at,
    end: async () => {
      for (const child of [...proxies, ...servers]) await child.end();
      lists.close();
    },
  };
}

async function freePorts(): Promise<NginxPorts> {
  const ports = await Promise.all(DOORS.map(async (door) => [door, await freePort()] as const));
  return Object.fromEntries(ports) as Record<Door, number>;
}

async function startService(options: {
  readonly directory: string;
  readonly data: string;
  readonly rateLimit: RateLimit | 'off';
}): Promise<{ readonly child: Child; readonly port: number }> {
  const { directory, data, rateLimit } = options;
  const log = join(directory, 'service.log');
  const fixed = ['serve', '--listen', '127.0.0.1:0', '--internal-stats', '--trusted-proxy', '127.0.0.1'];
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
