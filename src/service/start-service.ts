import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { createApp } from './app.ts';
import { BackgroundWork } from './background-work.ts';
import { closeHttp } from './http/close-http.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import { API_PREFIX } from './http/request-view.ts';
import { ServiceStats } from './http/service-stats.ts';
import { JobSignals } from './jobs/job-signals.ts';
import { shareJobNews } from './jobs/share-job-news.ts';
import { openStore } from './open-store.ts';
import { AuditTrail } from './operations/audit/audit-trail.ts';
import { type Monitor, startMonitor } from './operations/monitoring/monitor.ts';
import { Readiness } from './operations/monitoring/readiness.ts';
import { ServiceMetrics } from './operations/monitoring/service-metrics.ts';
import { MemoryRateLimiter } from './operations/rate-limit/memory-rate-limiter.ts';
import { StoreRateLimiter } from './operations/rate-limit/store-rate-limiter.ts';
import { openSecretKeys } from './operations/secrets/open-secret-keys.ts';
import {
  DEFAULT_CLIENT_LIMITS,
  DEFAULT_DOWNLOAD_URL_SECONDS,
  DEFAULT_PART_URL_SECONDS,
  DEFAULT_SHUTDOWN_SECONDS,
  type ServiceOptions,
  type ServicesOptions,
} from './service-config.ts';
import type { Services } from './services.ts';
import { Shutdown } from './shutdown.ts';
import { openBlobStore } from './storage/blobs/open-blob-store.ts';
import { readOrMakeKey } from './storage/blobs/signing-key.ts';
import { UrlSigner } from './storage/blobs/url-signer.ts';
import { Buckets } from './storage/buckets/buckets.ts';
import type { Store } from './store/store.ts';
import { openTaskRunner } from './task-runs/open-task-runner.ts';
import { renewSecrets } from './volumes/renew-secrets.ts';
import { isKeptInTheClear, VolumeSecrets } from './volumes/volume-secrets.ts';
import { watchServices } from './watch-services.ts';

/** A process that does jobs. */
export interface RunningWorkers {
  /** For the operator and for tests: what the service works with, without HTTP. */
  readonly services: Services;
  /** Where metrics and health are told, when asked for. */
  readonly monitorPort: number | undefined;
  /**
   * Finishes the requests being served and gives jobs back, for as long as the options say, then lets go of everything.
   * Called a second time, it waits no longer.
   */
  close(): Promise<void>;
}

/** A process that answers calls. */
export interface RunningService extends RunningWorkers {
  /** `http://host:port/v2` */
  readonly url: string;
  readonly port: number;
}

/** Opens the data directory and the database, and listens. Resolves when the service answers. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const shutdown = new Shutdown(options.logger);
  const services = await openServices(options, shutdown.closing);
  const readiness = new Readiness(services);
  const app = createApp(services, {
    clientLimits: { ...DEFAULT_CLIENT_LIMITS, ...options.clientLimits },
    trustedProxies: options.trustedProxies ?? [],
    accelRedirect: options.accelRedirect,
    internalStats: options.internalStats ?? false,
    readiness,
  });
  const background = await startBackground(services, readiness, { ...options, jobs: options.workers });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await background.stop();
    await background.release();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${API_PREFIX}`,
    port,
    monitorPort: background.monitorPort,
    services,
    close: () =>
      shutdown.close(options.shutdownSeconds ?? DEFAULT_SHUTDOWN_SECONDS, {
        finish: (hurry) => Promise.all([closeHttp(app, hurry), background.stop()]),
        release: background.release,
      }),
  };
}

/** Does what other processes are asked for, and answers no calls itself. */
export async function startWorkers(options: ServicesOptions): Promise<RunningWorkers> {
  const shutdown = new Shutdown(options.logger);
  const services = await openServices(options, shutdown.closing);
  const background = await startBackground(services, new Readiness(services), { ...options, jobs: true });
  return {
    services,
    monitorPort: background.monitorPort,
    close: () =>
      shutdown.close(options.shutdownSeconds ?? DEFAULT_SHUTDOWN_SECONDS, {
        finish: background.stop,
        release: background.release,
      }),
  };
}

interface Background {
  readonly monitorPort: number | undefined;
  /** Gives jobs back, and lets waiting callers have their answers. */
  stop(): Promise<void>;
  /** Lets go of everything, the database last but for the monitor, which tells until then that the process ends. */
  release(): Promise<void>;
}

/** All that a process does beside answering calls. When it cannot begin, everything is let go of. */
async function startBackground(
  services: Services,
  readiness: Readiness,
  options: ServicesOptions & { readonly jobs: boolean },
): Promise<Background> {
  const { store, jobSignals, auditTrail } = services;
  const news = await shareJobNews(services, options);
  const monitor = await monitorOf(services, readiness, options).catch(async (error) => {
    await news?.close();
    await store.close();
    throw error;
  });
  const work = options.jobs ? BackgroundWork.start(services, options) : undefined;
  return {
    monitorPort: monitor?.port,
    stop: async () => {
      jobSignals.hear('changed');
      await work?.stop();
    },
    release: async () => {
      await news?.close();
      await auditTrail.close();
      await store.close();
      await monitor?.close();
    },
  };
}

async function monitorOf(
  services: Services,
  readiness: Readiness,
  { monitor }: ServicesOptions,
): Promise<Monitor | undefined> {
  if (monitor === undefined) return undefined;
  watchServices(services);
  return startMonitor(services, readiness, monitor);
}

/** Opens the data directory and the database alone: for what an operator does without a listening service. */
export async function openServices(
  options: ServicesOptions,
  closing: AbortSignal = new AbortController().signal,
): Promise<Services> {
  const { dataDir, logger, clock = systemClock } = options;
  const downloadUrlSeconds = options.downloadUrlSeconds ?? DEFAULT_DOWNLOAD_URL_SECONDS;
  await makeDirectories(dataDir, 0o700);
  const signer = new UrlSigner(await readOrMakeKey(join(dataDir, 'signing-key')), clock);
  const blobs = await openBlobStore({
    dataDir,
    blobs: options.blobs,
    partUrlSeconds: options.partUrlSeconds ?? DEFAULT_PART_URL_SECONDS,
    downloadUrlSeconds,
    signer,
    clock,
  });
  const volumeSecrets = new VolumeSecrets(await openSecretKeys(options));
  const store = await openStore(options);
  await renewSecrets(store, volumeSecrets, isKeptInTheClear);
  const { volumeEndpoint: defaultEndpoint, stsEndpoint, allowedEndpoints = [] } = options;
  return {
    store,
    volumeSecrets,
    auditTrail: new AuditTrail({ store, clock, logger }),
    blobs,
    buckets: new Buckets({
      directory: join(dataDir, 'buckets'),
      defaultEndpoint,
      stsEndpoint,
      allowedEndpoints,
      clock,
    }),
    jobSignals: new JobSignals(clock),
    ...(await openTaskRunner(options)),
    signer,
    downloadUrlSeconds,
    rateLimiter: rateLimiterOn(store, options),
    stats: new ServiceStats(),
    metrics: new ServiceMetrics(),
    closing,
    clock,
    logger,
  };
}

/** On SQLite the process counts alone: counting there would cost a write to the disk for each request. */
function rateLimiterOn(
  store: Store,
  { rateLimit, databaseUrl, clock = systemClock }: ServicesOptions,
): RateLimiter {
  if (rateLimit === 'off' || databaseUrl === undefined) return new MemoryRateLimiter(rateLimit, clock);
  return new StoreRateLimiter(store, rateLimit, clock);
}
