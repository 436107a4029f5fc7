import type { FileRecord } from '../api/model.ts';
import type { ContentVersion } from './ports.ts';

/**
 * The name of a version's bytes, without the ETag that may be unknown yet. An alias and the object behind it are two:
 * they are reached by different links, with different permissions.
 */
export function contentKey(version: ContentVersion): string {
  switch (version.kind) {
    case 'file':
      return `file\0${version.fileId}`;
    case 'alias':
      return `alias\0${version.fileId}\0${version.volume}\0${version.location}`;
    case 'object':
      return `object\0${version.volume}\0${version.location}`;
    default:
      return version satisfies never;
  }
}

export function sameVersion(left: ContentVersion, right: ContentVersion): boolean {
  if (left === right) return true;
  const etags = [left, right].map((version) => (version.kind === 'object' ? version.etag : undefined));
  return (
    left.sizeBytes === right.sizeBytes && etags[0] === etags[1] && contentKey(left) === contentKey(right)
  );
}

/** For people. */
export function contentName(version: ContentVersion): string {
  return version.kind === 'file' ? `file ${version.fileId}` : `${version.volume}/${version.location}`;
}

export function versionOfFile({ id, sizeBytes, storage }: FileRecord): ContentVersion {
  if (storage.kind === 'platform') return { kind: 'file', fileId: id, sizeBytes };
  return { kind: 'alias', fileId: id, sizeBytes, volume: storage.volume, location: storage.location };
}
