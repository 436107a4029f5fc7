import type { StorageClient } from '../../api/api.ts';
import { type ApiClient, createApi } from '../../api/create-api.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
import { Network } from '../../api/network/network.ts';
import { limitDownloads } from '../../api/storage/limit-downloads.ts';
import { systemClock } from '../../lib/clock.ts';
import { Throttle } from '../../lib/throttle.ts';
import type { Logger } from '../../observe/logger.ts';
import type { MountSettings } from './daemon-messages.ts';
import { ServiceLog } from './service-log.ts';

export interface Clients {
  readonly api: ApiClient;
  readonly storage: StorageClient;
  readonly service: ServiceLog;
  close(): Promise<void>;
}

/**
 * The clients with which a mount asks the service and the stores, from its first question to its end. The caller's
 * `onWait` learns when requests wait for the rate limit, and how long.
 */
export function connectClients(
  { endpoint, token, options, network: settings }: MountSettings,
  log: Logger,
  onWait: (ms: number) => void,
): Clients {
  const clock = systemClock;
  const network = new Network(settings);
  const limits = { timeoutMs: options.retryTimeout };
  const service = new ServiceLog(log, clock, onWait);
  const { onExchange, onRateWait, onRefused } = service;
  const uploadLimit = options.limitUpload === undefined ? undefined : throttle(options.limitUpload);
  const told = { onExchange, onRateWait, onRefused };
  const api = createApi({ endpoint, token, clock, network, limits, uploadLimit, ...told });
  const storage = createStorageClient({ clock, network, limits, uploadLimit, uploads: options.uploads });
  return {
    api,
    storage:
      options.limitDownload === undefined
        ? storage
        : limitDownloads(storage, throttle(options.limitDownload)),
    service,
    close: async () => {
      await Promise.all([api.close(), storage.close()]);
    },
  };
}

function throttle(bytesPerSecond: number): Throttle {
  return new Throttle(bytesPerSecond, systemClock);
}
