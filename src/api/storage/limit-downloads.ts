import type { Throttle } from '../../lib/throttle.ts';
import type { StorageClient } from '../api.ts';

/** A store whose ranges come no faster than that, in bytes, over all of them. */
export function limitDownloads(storage: StorageClient, limit: Throttle): StorageClient {
  return {
    ...storage,
    getRange: async (url, range, signal) => {
      await limit.take(range.into.length, signal);
      return storage.getRange(url, range, signal);
    },
  };
}
