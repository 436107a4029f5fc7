import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand } from '../members/members.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasDownloadTime, HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { SignedAddress } from '../storage/objects/byte-source.ts';
import type { HasStore } from '../store/store.ts';
import {
  addressOfVolume,
  type HasVolumeSecrets,
  volumeObjectAddress,
  volumesIn,
} from '../volumes/volumes.ts';
import { fileFor } from './file-access.ts';
import type { FileRow } from './tables/file-table.ts';

/**
 * The address where the content of a file can be read without a token: the blob's address, or for an alias that of the
 * object in its volume. A reader of the project needs no membership of the volume.
 *
 * @throws ServiceError 5002, 5017 folder, 5014, 5034 inactive volume
 */
export async function downloadAddress(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner & HasDownloadTime,
  caller: Caller,
  fileId: string,
): Promise<{ readonly file: FileRow; readonly address: SignedAddress }> {
  const { file, permissions } = await fileFor(services.store, caller, fileId);
  if (file.kind === 'folder') throw new ServiceError(5017);
  demand(permissions, 'copy', 5014);
  return { file, address: await contentAddress(services, file) };
}

/** The same, of a file that is known to be one, for a user who may read it. @throws ServiceError 5034 */
export async function contentAddress(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner & HasDownloadTime,
  file: FileRow,
): Promise<SignedAddress> {
  const { store, blobs } = services;
  const { blob_key, volume_id, location } = file;
  if (blob_key !== null) return blobs.downloadAddress(blob_key);
  if (volume_id === null || location === null) throw new Error(`file ${file.id} has no content`);
  const row = await volumesIn(store).find(volume_id);
  if (row?.active !== 1) throw new ServiceError(5034);
  return volumeObjectAddress(services, { volume: { row, address: addressOfVolume(row) }, location });
}
