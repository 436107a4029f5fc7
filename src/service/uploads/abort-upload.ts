import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasMetrics } from '../operations/monitoring/service-metrics.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { forgetUpload, removeSent } from './forget-upload.ts';
import { uploadFor } from './upload-access.ts';

/** Forgets the upload and what was sent of it. @throws ServiceError 8003, 8001 */
export async function abortUpload(
  services: HasStore & HasBlobs & HasMetrics & HasClock & HasLogger,
  caller: Caller,
  uploadId: string,
): Promise<void> {
  const { store, clock, metrics } = services;
  const upload = await uploadFor(store, caller, uploadId);
  const now = storedTime(clock.now());
  if (!(await store.transaction((tx) => forgetUpload(tx, upload, now)))) throw new ServiceError(8003);
  await removeSent(services, upload);
  metrics.uploadDropped('aborted');
}
