/**
 * Keys of volume objects: key = prefix of the volume + `/` + location.
 *
 * Present objects are found by their location as it is (`keyAt`, `keyPrefixAt`): keys are opaque, and `w/x` and `w//x`
 * are two. A job makes a key of a location (`volumeKey`, `volumeKeyPrefix`). Leading and repeated `/` are collapsed, and
 * `.` and `..` segments refused. So nothing new comes outside the volume's prefix, whatever a store makes of such
 * segments.
 */
import { ServiceError } from '../http/service-error.ts';
import { isStorableText } from '../store/storable-text.ts';

/** S3's limit. */
const KEY_BYTES_MAX = 1024;

/** The key of an object by its location. @throws ServiceError 9011 when the location is empty or no text */
export function keyAt(prefix: string, location: string): string {
  if (location === '') throw new ServiceError(9011, 'The location is empty.');
  return keyPrefixAt(prefix, location);
}

/** The beginning of all keys below a location prefix, which may end anywhere. @throws ServiceError 9011 */
export function keyPrefixAt(prefix: string, locationPrefix: string): string {
  return ownPrefix(prefix) + checkedText(locationPrefix);
}

/**
 * The key that a job makes of the location of one object.
 *
 * @throws ServiceError 9072 for a folder, 9011 when it is empty or has a refused segment
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

/** The beginning of keys that a job makes of a location prefix. Its last segment may be the beginning of a name. */
export function volumeKeyPrefix(prefix: string, locationPrefix: string): string {
  const cut = locationPrefix.lastIndexOf('/') + 1;
  const folders = [...segmentsOf(prefix), ...segmentsOf(locationPrefix.slice(0, cut))];
  return folders.map((folder) => `${folder}/`).join('') + locationPrefix.slice(cut);
}

/** The location of a listed key (or of a folder of keys). */
export function locationOf(prefix: string, key: string): string {
  const own = ownPrefix(prefix);
  if (!key.startsWith(own)) throw new Error('the store lists keys that were not asked for');
  return key.slice(own.length);
}

function ownPrefix(prefix: string): string {
  return segmentsOf(prefix)
    .map((folder) => `${folder}/`)
    .join('');
}

/** @throws ServiceError 9011 */
function segmentsOf(path: string): string[] {
  const segments = checkedText(path)
    .split('/')
    .filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new ServiceError(9011, "A location cannot hold the segments '.' and '..'.");
  }
  return segments;
}

function checkedText(text: string): string {
  if (!isStorableText(text)) throw new ServiceError(9011, 'The location is not valid Unicode text.');
  return text;
}
