import type { HasLogger } from '../../observe/logger.ts';
import { filesIn } from '../files/files.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { Store } from '../store/store.ts';
import { targetOf } from './upload-access.ts';
import type { UploadRow } from './upload-table.ts';
import { uploadsIn } from './upload-table.ts';

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
