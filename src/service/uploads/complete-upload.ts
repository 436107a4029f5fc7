import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import { type FileRow, filesIn, holderOfName, newFile, placeFile } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasMetrics } from '../operations/monitoring/service-metrics.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import { MissingPartError, type StoredBlob } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import type { ReportedPart } from './part-report.ts';
import { noteParts } from './report-parts.ts';
import { targetOf, uploadFor } from './upload-access.ts';
import type { UploadPartRow, UploadRow } from './upload-table.ts';
import { uploadsIn } from './upload-table.ts';
import { checkWholeUpload } from './whole-upload.ts';

/**
 * Makes the file of the parts. The blob comes first, then one transaction takes the name: until it commits, a file that
 * is overwritten is the old one. When the name was taken meanwhile, the upload stays. It may be completed again.
 *
 * @param completion The reports not made before, or all of them. @throws ServiceError 8003, 8001, 8014, 8007, 8005, 5026
 */
export async function completeUpload(
  services: HasStore & HasBlobs & HasMetrics & HasClock,
  caller: Caller,
  completion: { readonly uploadId: string; readonly parts: readonly ReportedPart[] },
): Promise<FileRow> {
  const upload = await uploadFor(services.store, caller, completion.uploadId);
  const parts = await allParts(services, upload, completion.parts);
  checkWholeUpload(parts, upload.size);
  const { parent_id, name, overwrite } = upload;
  const place = { parentId: parent_id, name, overwrite: overwrite === 1, taken: 8005 } as const;
  try {
    await holderOfName(services.store, place);
  } catch (error) {
    // The file that has the name may be the upload's own, by another call.
    await uploadFor(services.store, caller, upload.id);
    throw error;
  }
  const blob = await makeBlob(services, upload, parts);
  return publish(services, upload, blob);
}

/**
 * Unites the parts reported before with those given now, which are noted as reported. The name may turn out to be taken
 * once the blob is made. The completion can then be repeated although the parts are no longer to be found one by one.
 */
async function allParts(
  services: HasStore & HasBlobs,
  upload: UploadRow,
  given: readonly ReportedPart[],
): Promise<UploadPartRow[]> {
  const uploads = uploadsIn(services.store);
  const known = new Map((await uploads.parts(upload.id)).map((part) => [part.part_number, part.etag]));
  const added = given.filter(({ partNumber, etag }) => known.get(partNumber) !== etag);
  if (added.length > 0) await noteParts(services, upload, added);
  return uploads.parts(upload.id);
}

async function makeBlob(
  { blobs }: HasBlobs,
  upload: UploadRow,
  parts: readonly UploadPartRow[],
): Promise<StoredBlob> {
  const names = parts.map(({ part_number, etag }) => ({ partNumber: part_number, etag }));
  try {
    return await blobs.completeUpload(targetOf(upload), names);
  } catch (error) {
    if (!(error instanceof MissingPartError)) throw error;
    throw new ServiceError(8007, `The ${error.message}.`);
  }
}

async function publish(
  { store, clock, metrics }: HasStore & HasMetrics & HasClock,
  upload: UploadRow,
  blob: StoredBlob,
): Promise<FileRow> {
  const now = storedTime(clock.now());
  const file = newFile({
    id: randomId(),
    project_id: upload.project_id,
    parent_id: upload.parent_id,
    name: upload.name,
    size: blob.sizeBytes,
    created_by: upload.created_by,
    created_on: now,
    blob_key: blob.key,
    etag: blob.etag,
    md5: upload.md5,
  });
  const published = await store.transaction(async (tx) => {
    if (!(await uploadsIn(tx).delete(upload.id))) return false;
    await placeFile(tx, file, { overwrite: upload.overwrite === 1, taken: 8005 });
    return true;
  });
  if (published) {
    metrics.uploadCompleted(blob.sizeBytes);
    return file;
  }
  // Aborted meanwhile, and the blob belongs to nobody; or completed by another call, and it is kept for that one.
  await filesIn(store).discardBlob(blob.key, now);
  throw new ServiceError(8003);
}
