import type { FileRow } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs, OpenBlob } from '../storage/blobs/blob-store.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import { activeVolume, type HasVolumeSecrets, objectPlace, refuseAsService } from '../volumes/volumes.ts';

/** Opens the bytes of a file, wherever they are. @throws ServiceError 5002, 9007, 9069, 9105, 9200 to 9209 */
export async function openContent(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets,
  file: FileRow,
): Promise<OpenBlob> {
  const { blob_key, volume_id, location } = file;
  if (volume_id !== null && location !== null) {
    const volume = await activeVolume(services, volume_id);
    const { bucket, key } = await objectPlace(services, volume, location);
    const object = await bucket.open(key).catch(refuseAsService);
    if (object === undefined) throw new ServiceError(9105, `The volume has no object at ${location}.`);
    return object;
  }
  const blob = blob_key === null ? undefined : await services.blobs.open(blob_key);
  if (blob === undefined) throw new ServiceError(5002, `The content of ${file.name} is gone.`);
  return blob;
}
