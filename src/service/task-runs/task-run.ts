import type { JobRun, JobServices } from '../jobs/job-run.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasTaskRunner } from '../tasks/tasks.ts';
import type { HasVolumeSecrets } from '../volumes/volumes.ts';

/** The services that the worker of a task needs. */
export interface TaskRunServices
  extends JobServices,
    HasBlobs,
    HasBuckets,
    HasSigner,
    HasTaskRunner,
    HasVolumeSecrets {}

export type TaskRun = JobRun<TaskRunServices>;
