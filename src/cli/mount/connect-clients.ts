import type { StorageClient } from '../../api/api.ts';
import { type ApiClient, createApi } from '../../api/create-api.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
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

/** What a mount speaks to the service and to stores with, from its first question to its end. */
export function connectClients({ endpoint, token, options }: MountSettings, log: Logger): Clients {
  const clock = systemClock;
  const limits = { timeoutMs: options.retryTimeout };
  const service = new ServiceLog(log, clock);
  const { onExchange, onRateWait } = service;
  const uploadLimit = options.limitUpload === undefined ? undefined : throttle(options.limitUpload);
  const api = createApi({ endpoint, token, clock, limits, uploadLimit, onExchange, onRateWait });
  const storage = createStorageClient({ clock, limits, uploadLimit, uploads: options.uploads });
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
