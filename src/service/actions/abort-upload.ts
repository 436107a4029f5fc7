import type { Caller } from '../caller.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
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
