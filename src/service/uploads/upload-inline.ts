import type { Readable } from 'node:stream';
import type { FileMetadata } from '../../contract/file.ts';
import { INLINE_SIZE_MAX } from '../../contract/limits.ts';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import { type FileRow, filesIn, type NamedDestination, newFile, placeFile } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import { mayHaveChanged } from '../store/database-failure.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { uploadFolder } from './begin-upload.ts';

export interface InlineUpload extends NamedDestination {
  readonly name?: string | undefined;
  readonly overwrite: boolean;
  readonly metadata: FileMetadata;
  readonly tags: readonly string[];
  /** Of the bytes, in hexadecimal. */
  readonly md5?: string | undefined;
  readonly bytes: Readable;
}

/**
 * A small file in one call (capability `upload_inline`).
 *
 * @throws ServiceError as `beginUpload`; 90000 (413) too large; 8016 other bytes came than the MD5 says
 */
export async function uploadInline(
  services: HasStore & HasBlobs & HasClock,
  caller: Caller,
  upload: InlineUpload,
): Promise<FileRow> {
  const { store, blobs, clock } = services;
  const { file: folder } = await uploadFolder(services, caller, upload);
  const blob = await blobs.write(upload.bytes, INLINE_SIZE_MAX);
  if (upload.md5 !== undefined && upload.md5 !== blob.etag) {
    await blobs.remove(blob.key);
    throw new ServiceError(8016);
  }
  const file = newFile({
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    name: upload.name ?? '',
    size: blob.sizeBytes,
    created_by: caller.username,
    created_on: storedTime(clock.now()),
    blob_key: blob.key,
    etag: blob.etag,
  });
  try {
    await store.transaction(async (tx) => {
      await placeFile(tx, file, { overwrite: upload.overwrite, taken: 8005 });
      await filesIn(tx).mergeMetadata(file.id, upload.metadata);
      await filesIn(tx).replaceTags(file.id, upload.tags);
    });
  } catch (error) {
    // When the connection broke or the disk failed, nobody knows whether the file is there: better bytes too many than a
    // file without them.
    if (!mayHaveChanged(error)) await blobs.remove(blob.key);
    throw error;
  }
  return file;
}
