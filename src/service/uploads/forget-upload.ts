import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import { filesIn } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasMetrics } from '../operations/monitoring/service-metrics.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { targetOf, uploadFor } from './upload-access.ts';
import { type UploadRow, uploadsIn } from './upload-table.ts';

/**
 * Ends an upload, inside a transaction. The blob that it may have become is noted as garbage, and what was sent of it looks
 * abandoned from then on: sweeps come to what cannot be removed at once. False: completed or aborted at the same moment.
 */
export async function forgetUpload(tx: Store, upload: UploadRow, now: string): Promise<boolean> {
  if (!(await uploadsIn(tx).delete(upload.id))) return false;
  await filesIn(tx).discardBlob(targetOf(upload).key, now);
  return true;
}

/** Removes what was sent of an upload that is forgotten; nobody who asked for that needs to hear that it fails. */
export async function removeSent({ blobs, logger }: HasBlobs & HasLogger, upload: UploadRow): Promise<void> {
  const target = targetOf(upload);
  await blobs.abortUpload(target).catch((error) => {
    const left = { upload: upload.id, blob: target.key, err: error };
    logger.error(left, 'what was sent of an upload is left to the sweep');
  });
}

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
