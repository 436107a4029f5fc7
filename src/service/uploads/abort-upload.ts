import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Services } from '../services.ts';
import { storedTime } from '../store/stored-time.ts';
import { forgetUpload, removeSent } from './forget-upload.ts';
import { uploadFor } from './upload-access.ts';

/** Forgets the upload and what was sent of it. @throws ServiceError 8003, 8001 */
export async function abortUpload(services: Services, caller: Caller, uploadId: string): Promise<void> {
  const { store, clock, metrics } = services;
  const upload = await uploadFor(store, caller, uploadId);
  const now = storedTime(clock.now());
  if (!(await store.transaction((tx) => forgetUpload(tx, upload, now)))) throw new ServiceError(8003);
  await removeSent(services, upload);
  metrics.uploadDropped('aborted');
}
