import type { FileRow } from '../files/tables/file-table.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Services } from '../services.ts';
import type { OpenBlob } from '../storage/blobs/blob-store.ts';
import { refuseAsService } from '../volumes/bucket-failure.ts';
import { activeVolume } from '../volumes/volume-access.ts';
import { objectPlace } from '../volumes/volume-contents.ts';

/** Opens the bytes of a file, wherever they are. @throws ServiceError 5002, 9007, 9069, 9105, 9200 to 9209 */
export async function openContent(services: Services, file: FileRow): Promise<OpenBlob> {
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
