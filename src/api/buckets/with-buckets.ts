/**
 * The API to one who has keys of some buckets: what concerns the bytes of objects in those goes to the store, and all else to
 * the platform. So no caller need know of two ways.
 */
import type { Api, BucketsApi, VolumesApi } from '../api.ts';
import type { OpenedBuckets } from './open-buckets.ts';

export function withBuckets<A extends Api>(api: A, { buckets }: OpenedBuckets): A {
  if (buckets.size === 0) return api;
  const volumes: VolumesApi = {
    ...api.volumes,
    downloadInfo: async (volume, location, options) => {
      const bucket = buckets.get(volume);
      if (bucket === undefined) return api.volumes.downloadInfo(volume, location, options);
      return { url: await bucket.link(location), sizeBytes: undefined, etag: undefined };
    },
  };
  const ofBuckets: BucketsApi = {
    has: (volume) => buckets.has(volume),
    refusalOf: async (volume, location, options) => buckets.get(volume)?.refusal(location, options),
  };
  return { ...api, volumes, buckets: ofBuckets };
}
