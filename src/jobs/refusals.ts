import { RESERVED_FOLDER_PREFIX } from '../contract/limits.ts';
import { type Plan, refused } from './plan.ts';
import type { TransferSource, TransferTarget } from './ports.ts';

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

/** Undefined when the volume takes objects at that location. */
export function refusalOfLocation(target: VolumeTarget): Plan | undefined {
  if (target.accessMode === 'RO') {
    return refused('read-only-volume', `the volume ${target.volume} is read-only`);
  }
  if (!target.active) {
    return refused('inactive-volume', `the volume ${target.volume} is not active`);
  }
  const segments = target.location.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return refused('bad-name', `${JSON.stringify(target.location)} is no location of an object`);
  }
  return undefined;
}
