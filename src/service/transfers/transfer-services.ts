import type { JobServices } from '../jobs/job-run.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasVolumeSecrets } from '../volumes/volumes.ts';

/** What the worker of an import or export works with. */
export interface TransferServices extends JobServices, HasBlobs, HasBuckets, HasVolumeSecrets {}
