import type { BucketsApi } from '../api.ts';

/** For a user without keys of any bucket. */
export const NO_BUCKETS: BucketsApi = {
  has: () => false,
  refusalOf: async () => undefined,
};
