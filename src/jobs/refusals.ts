import { RESERVED_FOLDER_PREFIX } from '../contract/limits.ts';
import { type Plan, refused } from './plan.ts';
import type { TransferSource, TransferTarget } from './ports.ts';

/** NAME_MAX of Linux: a store may keep objects as files, and no mount makes or shows a longer name. */
const SEGMENT_BYTES_MAX = 255;
/** S3's limit of a key, of which the volume's prefix takes its share. */
const LOCATION_BYTES_MAX = 1024;

export type ProjectTarget = Extract<TransferTarget, { kind: 'project' }>;
export type VolumeTarget = Extract<TransferTarget, { kind: 'volume' }>;

/** Undefined when the platform takes the name. */
export function refusalOfName(name: string, kind: TransferSource['kind']): Plan | undefined {
  const isFolder = kind === 'folder' || kind === 'prefix';
  if (isFolder && name.startsWith(RESERVED_FOLDER_PREFIX)) {
    return refused('bad-name', `folder names do not begin with ${RESERVED_FOLDER_PREFIX}`);
  }
  if (name === '' || name.includes('/')) {
    return refused('bad-name', `${JSON.stringify(name)} is no name of a file`);
  }
  return undefined;
}

/** The API has no rename, no delete and no copy of objects. */
export function refusalOfVolumeSource(from: string, to: string): Plan {
  return from === to
    ? refused('volume-is-append-only', 'objects of a volume can be neither renamed nor moved')
    : refused('volume-to-volume', 'the platform has no call that takes an object from one volume to another');
}

/** Undefined when the volume takes objects. */
export function refusalOfVolume(target: VolumeTarget): Plan | undefined {
  if (target.accessMode === 'RO') {
    return refused('read-only-volume', `the volume ${target.volume} is read-only`);
  }
  if (!target.active) {
    return refused('inactive-volume', `the volume ${target.volume} is not active`);
  }
  return undefined;
}

/** Undefined when there can be an object at that location, on whatever store. */
export function refusalOfLocation(location: string): Plan | undefined {
  const reason = whyNoLocation(location);
  if (reason === undefined) {
    return undefined;
  }
  const message = `${JSON.stringify(location)} is no location of an object: ${reason}; choose another name`;
  return refused('bad-name', message);
}

/** Whether a job of the platform takes the location as it is. */
export function isNormalLocation(location: string): boolean {
  return location.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function whyNoLocation(location: string): string | undefined {
  const segments = location.split('/');
  if (!isNormalLocation(location)) {
    return 'a segment is empty, "." or ".."';
  }
  // NUL, or half of a surrogate pair.
  if (/[\0\p{Surrogate}]/u.test(location)) {
    return 'it is no text that a volume keeps';
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES_MAX)) {
    return `a segment is over ${SEGMENT_BYTES_MAX} bytes`;
  }
  return Buffer.byteLength(location) > LOCATION_BYTES_MAX
    ? `it is over ${LOCATION_BYTES_MAX} bytes`
    : undefined;
}
