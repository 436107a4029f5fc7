/**
 * The API to one who has keys of some buckets: what concerns the bytes of objects in those goes to the store, and all else to
 * the platform. So no caller need know of two ways.
 */
import type { Api, BucketsApi, VolumesApi } from '../api.ts';
import { ApiError } from '../errors.ts';
import { bucketFileId, bucketFolderId, volumeOfFolder } from './bucket-ids.ts';
import { type BucketOf, BucketUploads, fileOfObject } from './bucket-uploads.ts';
import type { OpenedBuckets } from './open-buckets.ts';

export function withBuckets<A extends Api>(api: A, { buckets }: OpenedBuckets): A {
  const bucketOf: BucketOf = (volume) => {
    const bucket = buckets.get(volume);
    if (bucket !== undefined) return bucket;
    const message = `there are no keys for the bucket of volume ${volume}, to which this goes`;
    const remedy = `Give them in [volume:${volume}] of ~/.svcfs/credentials, and mount again.`;
    throw new ApiError({ status: 403, code: 0, message }, { call: 's3:PutObject', remedy });
  };
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
    folderOf: bucketFolderId,
    isFolder: (id) => volumeOfFolder(id) !== undefined,
    fileIdOf: (volume, location, etag) => bucketFileId({ volume, location, etag }),
    find: async ({ parent, name }, options) => {
      const record = await bucketOf(volumeOfFolder(parent) ?? '').head(name, options);
      return record && fileOfObject(record);
    },
    delete: (volume, location, options) => bucketOf(volume).delete(location, options),
    canCopy: (from, to) => {
      const source = buckets.get(from);
      return source !== undefined && buckets.get(to)?.isOpenTo(source) === true;
    },
    copy: (from, { volume, location, overwrite }, options) =>
      bucketOf(volume).copyFrom(
        { ...from, from: bucketOf(from.volume) },
        { location, condition: overwrite ? undefined : { ifAbsent: true } },
        options,
      ),
    refusalOf: async (volume, location, options) => buckets.get(volume)?.refusal(location, options),
  };
  return {
    ...api,
    volumes,
    buckets: ofBuckets,
    uploads: new BucketUploads(api.uploads, bucketOf),
  };
}
