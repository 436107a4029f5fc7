import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { createApp } from './app.ts';
import { BlobSweeper } from './blobs/blob-sweeper.ts';
import { DirectoryBlobStore } from './blobs/directory-blob-store.ts';
import { readOrMakeKey } from './blobs/signing-key.ts';
import { UrlSigner } from './blobs/url-signer.ts';
import { Buckets } from './buckets/buckets.ts';
import { noExecutor } from './executors/executor.ts';
import type { App } from './http/fastify-types.ts';
import { API_PREFIX } from './http/request-view.ts';
import { MemoryRateLimiter } from './rate-limit/memory-rate-limiter.ts';
import {
  DEFAULT_BLOB_GRACE_SECONDS,
  DEFAULT_DOWNLOAD_URL_SECONDS,
  DEFAULT_PART_URL_SECONDS,
  type ServiceOptions,
} from './service-config.ts';
import { ServiceStats } from './service-stats.ts';
import type { Services } from './services.ts';
import { openSqliteStore } from './store/store.ts';
import { JobSignals } from './workers/job-signals.ts';
import { Worker } from './workers/worker.ts';

export interface RunningService {
  /** `http://host:port/v2` */
  readonly url: string;
  readonly port: number;
  /** For the operator and for tests: what the service works with, without HTTP. */
  readonly services: Services;
  /** Finishes the requests being served, then lets go of everything. */
  close(): Promise<void>;
}

/** How long requests being served may go on when the service is told to end. */
const CLOSING_MS = 10_000;
const IDLE_CHECK_MS = 50;

/** Ends listening, lets requests be answered, and closes each connection as it falls idle: Node does so at the start only. */
async function closeHttp(app: App): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const overdue = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(overdue);
}

/** Opens the data directory and listens. Resolves when the service answers. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const services = await openServices(options);
  const app = createApp(services, { internalStats: options.internalStats ?? false });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await services.store.close();
    throw error;
  }
  const sweeper = new BlobSweeper(services, options.blobGraceSeconds ?? DEFAULT_BLOB_GRACE_SECONDS);
  const worker = new Worker(services);
  if (options.workers) {
    sweeper.start();
    worker.start();
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${API_PREFIX}`,
    port,
    services,
    close: async () => {
      await closeHttp(app);
      await worker.stop();
      await sweeper.stop();
      await services.store.close();
    },
  };
}

/** Opens the data directory alone: for what an operator does without a listening service. */
export async function openServices(options: ServiceOptions): Promise<Services> {
  const { dataDir, logger, clock = systemClock } = options;
  const downloadUrlSeconds = options.downloadUrlSeconds ?? DEFAULT_DOWNLOAD_URL_SECONDS;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const signer = new UrlSigner(await readOrMakeKey(join(dataDir, 'signing-key')), clock);
  const blobs = new DirectoryBlobStore({
    root: join(dataDir, 'storage'),
    signer,
    partUrlSeconds: options.partUrlSeconds ?? DEFAULT_PART_URL_SECONDS,
    downloadUrlSeconds,
  });
  await blobs.prepare();
  return {
    store: await openSqliteStore(join(dataDir, 'service.sqlite')),
    blobs,
    buckets: new Buckets({ directory: join(dataDir, 'buckets'), clock }),
    jobSignals: new JobSignals(clock),
    executor: noExecutor,
    signer,
    downloadUrlSeconds,
    rateLimiter: new MemoryRateLimiter(options.rateLimit, clock),
    stats: new ServiceStats(),
    clock,
    logger,
  };
}
