import type { Caller } from '../caller.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { UploadRow } from '../store/uploads.ts';
import { targetOf, uploadFor } from './upload-access.ts';

/** Forgets the upload and what was sent of it. @throws ServiceError 8003, 8001 */
export async function abortUpload(
  { store, blobs, metrics }: Services,
  caller: Caller,
  uploadId: string,
): Promise<void> {
  const upload = await uploadFor(store, caller, uploadId);
  if (!(await store.uploads.delete(upload.id))) throw new ServiceError(8003);
  await blobs.abortUpload(targetOf(upload));
  metrics.uploadDropped('aborted');
}

/** The same, when it is the service that gives the upload up. Completed at the same moment, it stays completed. */
export async function removeAbandonedUpload(
  { store, blobs, metrics }: Services,
  upload: UploadRow,
): Promise<void> {
  if (!(await store.uploads.delete(upload.id))) return;
  await blobs.abortUpload(targetOf(upload));
  metrics.uploadDropped('swept');
}
