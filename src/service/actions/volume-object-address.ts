import type { SignedAddress } from '../blobs/blob-store.ts';
import type { Services } from '../services.ts';

/** Path of the service that leads to objects of volumes. */
export const OBJECT_PATH = '/storage/objects';

/** Where an object of a volume can be read without a token. */
export function volumeObjectAddress(
  { signer, downloadUrlSeconds }: Services,
  object: { readonly volumeId: string; readonly location: string },
): SignedAddress {
  const segments = `${object.volumeId}/${object.location}`.split('/').map(encodeURIComponent);
  return signer.sign('GET', `${OBJECT_PATH}/${segments.join('/')}`, downloadUrlSeconds);
}
