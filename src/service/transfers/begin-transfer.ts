import { type JobRun, type JobServices, recordStart, submitterOf } from '../jobs/job-run.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import { type HasVolumeSecrets, usableVolume, type Volume } from '../volumes/volumes.ts';

/** The services that the worker of an import or export needs. */
export interface TransferServices extends JobServices, HasBlobs, HasBuckets, HasVolumeSecrets {}

/**
 * Records that a transfer has begun, and finds its request and its volume, which the submitter must still have.
 *
 * @throws ServiceError 9007, 9020, 9069
 */
export async function beginTransfer<Request extends { readonly volume: string }>(
  run: JobRun<TransferServices>,
  permission: 'copy' | 'write',
): Promise<{ readonly request: Request; readonly volume: Volume }> {
  const { services, job } = run;
  const request: Request = JSON.parse(job.request);
  await recordStart(run);
  const volume = await usableVolume(services.store, submitterOf(job), { id: request.volume, permission });
  return { request, volume };
}
