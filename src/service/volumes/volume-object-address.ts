import type { HasDownloadTime, HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { SignedAddress } from '../storage/objects/byte-source.ts';
import { refuseAsService } from './bucket-failure.ts';
import type { Volume } from './volume-access.ts';
import { objectPlace } from './volume-contents.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';

/**
 * Path of the service that leads to objects of volumes. A location is one segment that begins with `/`: clients take segments
 * `.` and `..` out of an address, also when they are percent-encoded.
 */
export const OBJECT_PATH = '/storage/objects';

/**
 * The address where an object of a volume can be read without a token. It is at its store, or here when the store has no
 * such addresses.
 *
 * @throws ServiceError 9203 when the volume's role is refused by now
 */
export async function volumeObjectAddress(
  services: HasVolumeSecrets & HasBuckets & HasSigner & HasDownloadTime,
  { volume, location }: { readonly volume: Volume; readonly location: string },
): Promise<SignedAddress> {
  const { signer, downloadUrlSeconds } = services;
  const { bucket, key } = await objectPlace(services, volume, location);
  const own = await bucket.addressOf(key, downloadUrlSeconds).catch(refuseAsService);
  if (own !== undefined) return own;
  const id = volume.row.id.split('/').map(encodeURIComponent).join('/');
  return signer.sign('GET', `${OBJECT_PATH}/${id}/${encodeURIComponent(`/${location}`)}`, downloadUrlSeconds);
}
