import { contentKey } from '../content-version.ts';
import type { ContentVersion } from '../ports.ts';
import { entryName } from './entry-name.ts';

/** Which bytes, to the disk cache. */
export interface CachedVersion {
  /** Of the entry. */
  readonly name: string;
  /** Over 0. */
  readonly sizeBytes: number;
}

/**
 * The key of a version in a cache that mounts of several services share. The id is the key of a platform file. The
 * content of an alias or a volume object changes under its name, so its ETag belongs to the key. Undefined while the ETag
 * is not known, and for an empty file.
 */
export function cachedVersion(
  endpoint: string,
  version: ContentVersion,
  etag: string | undefined,
): CachedVersion | undefined {
  const { kind, sizeBytes } = version;
  if (sizeBytes === 0 || (kind !== 'file' && etag === undefined)) return undefined;
  const identity = [endpoint, contentKey(version), sizeBytes, kind === 'file' ? '' : etag].join('\0');
  return { name: entryName(identity), sizeBytes };
}
