import type { BucketsApi } from '../api.ts';
import { bucketFileId, bucketFolderId } from './bucket-ids.ts';

/** For a user without keys of any bucket. */
export const NO_BUCKETS: BucketsApi = {
  has: () => false,
  refusalOf: async () => undefined,
  folderOf: bucketFolderId,
  isFolder: () => false,
  fileIdOf: (volume, location, etag) => bucketFileId({ volume, location, etag }),
  find: async () => undefined,
  delete: async () => {},
  canCopy: () => false,
  copy: () => Promise.reject(new Error('there are no keys of a bucket')),
};
