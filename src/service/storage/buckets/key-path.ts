import { join } from 'node:path';
import { BucketError } from '../objects/bucket-error.ts';

/** Directory at the root of a bucket that holds what the service notes about its objects. Never listed, never a key. */
export const NOTES_DIRECTORY = '.svcfs';

/** NAME_MAX of every Linux file system. */
const SEGMENT_BYTES_MAX = 255;

/**
 * The path of the object of a key in a directory bucket: the key's segments unchanged, so that a person finds the data
 * without this program. The rules have normalised the key. It is checked again here, the last place before the file
 * system.
 *
 * @throws BucketError `bad-key` when no file of the directory can have that key
 */
export function keyPath(root: string, key: string): string {
  const fault = faultOf(key);
  if (fault !== undefined) throw new BucketError('bad-key', fault);
  return join(root, key);
}

/** Whether a directory bucket can hold an object of that key at all. */
export function canHold(key: string): boolean {
  return faultOf(key) === undefined;
}

function faultOf(key: string): string | undefined {
  if (/[\0\p{Surrogate}]/u.test(key)) return 'the key holds characters that no path can';
  const segments = key.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return "the key has an empty, '.' or '..' segment";
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES_MAX)) {
    return `a segment of the key is over ${SEGMENT_BYTES_MAX} bytes`;
  }
  return segments[0] === NOTES_DIRECTORY ? `keys below ${NOTES_DIRECTORY}/ are reserved` : undefined;
}
