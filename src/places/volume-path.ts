import { VOLUME_SCHEME } from './any-place.ts';

/** A path on a volume, as commands write it: `volume:owner/name/key`. */
export interface VolumePath {
  /** `owner/name` */
  readonly volume: string;
  /** Empty for the volume itself. A last `/` says that a level is meant. */
  readonly key: string;
}

export function isVolumePath(text: string): boolean {
  return text.startsWith(VOLUME_SCHEME);
}

/** Undefined when it names no volume. The key is taken as it is: on a volume, `a//b` is another one than `a/b`. */
export function parseVolumePath(text: string): VolumePath | undefined {
  const [, owner = '', name = '', key = ''] = /^volume:([^/]*)\/([^/]*)(?:\/(.*))?$/s.exec(text) ?? [];
  if (owner === '' || name === '') return undefined;
  return { volume: `${owner}/${name}`, key };
}
