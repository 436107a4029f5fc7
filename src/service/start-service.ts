import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { createApp } from './app.ts';
import { DirectoryBlobStore } from './blobs/directory-blob-store.ts';
import { readOrMakeKey } from './blobs/signing-key.ts';
import { UrlSigner } from './blobs/url-signer.ts';
import { Buckets } from './buckets/buckets.ts';
import { noExecutor } from './executors/executor.ts';
import type { App } from './http/fastify-types.ts';
import { API_PREFIX } from './http/request-view.ts';
import { MemoryRateLimiter } from './rate-limit/memory-rate-limiter.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';
import { StoreRateLimiter } from './rate-limit/store-rate-limiter.ts';
import {
  DEFAULT_DOWNLOAD_URL_SECONDS,
  DEFAULT_PART_URL_SECONDS,
  type ServiceOptions,
  type ServicesOptions,
} from './service-config.ts';
import { openSecretKeys } from './secrets/open-secret-keys.ts';
import { renewSecrets } from './secrets/renew-secrets.ts';
import { isKeptInTheClear, VolumeSecrets } from './secrets/volume-secrets.ts';
import { ServiceStats } from './service-stats.ts';
import type { Services } from './services.ts';
import { openPostgresStore, openSqliteStore, type Store } from './store/store.ts';
import { BackgroundWork } from './workers/background-work.ts';
import { JobSignals } from './workers/job-signals.ts';
import { shareJobNews } from './workers/share-job-news.ts';

/** A process that does jobs. */
export interface RunningWorkers {
  /** For the operator and for tests: what the service works with, without HTTP. */
  readonly services: Services;
  /** Finishes the requests being served, gives jobs back, then lets go of everything. */
  close(): Promise<void>;
}

/** A process that answers calls. */
export interface RunningService extends RunningWorkers {
  /** `http://host:port/v2` */
  readonly url: string;
  readonly port: number;
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

/** Opens the data directory and the database, and listens. Resolves when the service answers. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const services = await openServices(options);
  const app = createApp(services, { internalStats: options.internalStats ?? false });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await services.store.close();
    throw error;
  }
  const news = await shareJobNews(services, options);
  const work = options.workers ? BackgroundWork.start(services, options) : undefined;
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${API_PREFIX}`,
    port,
    services,
    close: async () => {
      await closeHttp(app);
      await work?.stop();
      await news?.close();
      await services.store.close();
    },
  };
}

/** Does what other processes are asked for, and answers no calls itself. */
export async function startWorkers(options: ServicesOptions): Promise<RunningWorkers> {
  const services = await openServices(options);
  const news = await shareJobNews(services, options);
  const work = BackgroundWork.start(services, options);
  return {
    services,
    close: async () => {
      await work.stop();
      await news?.close();
      await services.store.close();
    },
  };
}

/** Opens the data directory and the database alone: for what an operator does without a listening service. */
export async function openServices(options: ServicesOptions): Promise<Services> {
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
  const volumeSecrets = new VolumeSecrets(await openSecretKeys(options));
  const store = await openStore(options);
  await renewSecrets(store, volumeSecrets, isKeptInTheClear);
  return {
    store,
    volumeSecrets,
    blobs,
    buckets: new Buckets({ directory: join(dataDir, 'buckets'), clock }),
    allowedEndpoints: options.allowedEndpoints ?? [],
    jobSignals: new JobSignals(clock),
    executor: noExecutor,
    signer,
    downloadUrlSeconds,
    rateLimiter: rateLimiterOn(store, options),
    stats: new ServiceStats(),
    clock,
    logger,
  };
}

function openStore({ databaseUrl, dataDir }: ServicesOptions): Promise<Store> {
  return databaseUrl === undefined
    ? openSqliteStore(join(dataDir, 'service.sqlite'))
    : openPostgresStore(databaseUrl);
}

/** On SQLite the process counts alone: counting there would cost a write to the disk for each request. */
function rateLimiterOn(
  store: Store,
  { rateLimit, databaseUrl, clock = systemClock }: ServicesOptions,
): RateLimiter {
  if (rateLimit === 'off' || databaseUrl === undefined) return new MemoryRateLimiter(rateLimit, clock);
  return new StoreRateLimiter(store, rateLimit, clock);
}
