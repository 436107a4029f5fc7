import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import { databaseFailure } from '../store/database-failure.ts';
import type { HasStore } from '../store/store.ts';
import type { ReportedPart } from './part-report.ts';
import { targetOf, uploadFor } from './upload-access.ts';
import type { UploadPartRow, UploadRow } from './upload-table.ts';
import { uploadsIn } from './upload-table.ts';

/** Notes parts as completed. @throws ServiceError 8003, 8001, 8014 when a part is not the one stored */
export async function reportParts(
  services: HasStore & HasBlobs,
  caller: Caller,
  report: { readonly uploadId: string; readonly parts: readonly ReportedPart[] },
): Promise<void> {
  const upload = await uploadFor(services.store, caller, report.uploadId);
  await noteParts(services, upload, report.parts);
}

/** The same for an upload that is known. @throws ServiceError 8014, 8003 when it was aborted or completed meanwhile */
export async function noteParts(
  services: HasStore & HasBlobs,
  upload: UploadRow,
  parts: readonly ReportedPart[],
): Promise<void> {
  const stored = await storedParts(services, upload, parts);
  try {
    await uploadsIn(services.store).report(upload.id, stored);
  } catch (error) {
    if (databaseFailure(error) === 'dangling') throw new ServiceError(8003, undefined, { cause: error });
    throw error;
  }
}

/** The reported parts, with the sizes that the blob store has. @throws ServiceError 8014 */
async function storedParts(
  { blobs }: HasBlobs,
  upload: UploadRow,
  parts: readonly ReportedPart[],
): Promise<UploadPartRow[]> {
  const sizes = await blobs.partSizes(targetOf(upload), parts);
  return parts.map(({ partNumber, etag }, index) => {
    const size = sizes[index];
    if (size === undefined) {
      throw new ServiceError(8014, `Part ${partNumber} with the ETag ${etag} was not received.`);
    }
    return { part_number: partNumber, etag, size };
  });
}
