/**
 * Keys of volume objects: key = prefix of the volume + `/` + location, leading and repeated `/` collapsed, `.` and `..`
 * segments refused. So no location reaches outside the volume's prefix, whatever the store makes of such segments.
 */
import { ServiceError } from '../service-error.ts';
import { isStorableText } from './storable-text.ts';

/** S3's limit. */
const KEY_BYTES_MAX = 1024;

/**
 * The key of one object.
 *
 * @throws ServiceError 9072 when the location names a folder, 9011 when it is empty or has a segment that is refused
 */
export function volumeKey(prefix: string, location: string): string {
  if (location.endsWith('/')) throw new ServiceError(9072);
  const own = segmentsOf(location);
  if (own.length === 0) throw new ServiceError(9011, 'The location is empty.');
  const key = [...segmentsOf(prefix), ...own].join('/');
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) {
    throw new ServiceError(9011, `The location gives a key of more than ${KEY_BYTES_MAX} bytes.`);
  }
  return key;
}

/** What the keys below a location prefix begin with. Its last segment may be the beginning of a name. */
export function volumeKeyPrefix(prefix: string, locationPrefix: string): string {
  const cut = locationPrefix.lastIndexOf('/') + 1;
  const folders = [...segmentsOf(prefix), ...segmentsOf(locationPrefix.slice(0, cut))];
  return folders.map((folder) => `${folder}/`).join('') + locationPrefix.slice(cut);
}

/** The location of a listed key (or of a folder of keys). */
export function locationOf(prefix: string, key: string): string {
  const own = segmentsOf(prefix)
    .map((folder) => `${folder}/`)
    .join('');
  return key.slice(own.length);
}

/** @throws ServiceError 9011 */
function segmentsOf(path: string): string[] {
  if (!isStorableText(path)) throw new ServiceError(9011, 'The location is not valid Unicode text.');
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new ServiceError(9011, "A location cannot hold the segments '.' and '..'.");
  }
  return segments;
}
