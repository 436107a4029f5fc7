import { dirname } from 'node:path';
import { type ApiClient, createApi } from '../../api/create-api.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
import { Network } from '../../api/network/network.ts';
import { limitDownloads } from '../../api/storage/limit-downloads.ts';
import type { StorageClient } from '../../api/storage-client.ts';
import { TokenLooks } from '../../config/token-places.ts';
import { systemClock } from '../../lib/clock.ts';
import { Throttle } from '../../lib/throttle.ts';
import type { Logger } from '../../observe/logger.ts';
import { SpanExporter } from '../../observe/otlp/span-exporter.ts';
import { RequestDurations } from '../../observe/request-durations.ts';
import { TransferCounts } from '../../observe/transfer-counts.ts';
import { DialectMemory } from '../dialect-memory.ts';
import { packageVersion } from '../package-version.ts';
import type { MountSettings } from './daemon-messages.ts';
import { OperationSpans } from './operation-spans.ts';
import { ProgramSpending } from './program-spending.ts';
import { ServiceLog } from './service-log.ts';

export interface Clients {
  readonly api: ApiClient;
  readonly storage: StorageClient;
  readonly service: ServiceLog;
  readonly requests: RequestDurations;
  readonly programs: ProgramSpending;
  readonly transfers: TransferCounts;
  /** With `--otlp`. */
  readonly traces: MountTraces | undefined;
  close(): Promise<void>;
}

/**
 * The clients with which a mount asks the service and the stores, from its first question to its end. The caller's
 * `onWait` learns when requests wait for the rate limit, and how long.
 */
export function connectClients(
  { endpoint, token, dialect, tokenPlaces, directory, options, network: settings, mountPoint }: MountSettings,
  log: Logger,
  onWait: (ms: number) => void,
): Clients {
  const clock = systemClock;
  const network = new Network(settings);
  const limits = { timeoutMs: options.retryTimeout };
  const service = new ServiceLog(log, clock, onWait);
  const requests = new RequestDurations();
  const programs = new ProgramSpending(clock);
  const transfers = new TransferCounts();
  const traces = options.otlp === undefined ? undefined : mountTraces(options.otlp, { mountPoint, log });
  const { onRateWait, onRefused, onClockSkew } = service;
  const memory = new DialectMemory(dirname(directory.root));
  const looks = tokenPlaces && new TokenLooks(tokenPlaces, endpoint);
  const uploadLimit = options.limitUpload === undefined ? undefined : throttle(options.limitUpload);
  const api = createApi({
    endpoint,
    token,
    dialect: dialect.dialect,
    dialectSettled: dialect.settled,
    clock,
    network,
    limits,
    uploadLimit,
    ...(looks && { newTokens: (refused) => looks.look(refused) }),
    onIdentity: (change) => {
      service.onIdentity(change);
      if (change.kind === 'dialect') void memory.remember(endpoint, change.dialect);
    },
    onExchange: (exchange) => {
      requests.add(exchange);
      programs.onExchange();
      service.onExchange(exchange);
      traces?.spans.onExchange(exchange);
    },
    onRetry: requests.addRetry,
    onRateWait,
    onRefused,
    onClockSkew,
  });
  const storage = createStorageClient({
    clock,
    network,
    limits,
    uploadLimit,
    uploads: options.uploads,
    onTransfer: transfers.add,
    onRetry: transfers.addRetry,
  });
  return {
    api,
    storage:
      options.limitDownload === undefined
        ? storage
        : limitDownloads(storage, throttle(options.limitDownload)),
    service,
    requests,
    programs,
    transfers,
    traces,
    close: async () => {
      await Promise.all([api.close(), storage.close(), traces?.exporter.close()]);
    },
  };
}

export interface MountTraces {
  readonly exporter: SpanExporter;
  readonly spans: OperationSpans;
}

function mountTraces(
  url: string,
  { mountPoint, log }: { readonly mountPoint: string; readonly log: Logger },
): MountTraces {
  const resource = {
    'service.name': 'svcfs',
    'service.version': packageVersion(),
    'service.instance.id': String(process.pid),
    'svcfs.mount_point': mountPoint,
  };
  const exporter = new SpanExporter({ url, resource, log });
  return { exporter, spans: new OperationSpans((span) => exporter.add(span), systemClock) };
}

function throttle(bytesPerSecond: number): Throttle {
  return new Throttle(bytesPerSecond, systemClock);
}
