import { unquoted } from '../api/etag.ts';
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

/** The name of exactly these bytes, as far as they are known. */
export function versionKey(version: ContentVersion): string {
  return [contentKey(version), version.sizeBytes, etagOf(version) ?? ''].join('\0');
}

/** The validator that a version is known to have: listings quote an ETag or do not, answers of a store do. */
export function etagOf(version: ContentVersion): string | undefined {
  return version.kind === 'file' ? undefined : unquoted(version.etag);
}

export function sameVersion(left: ContentVersion, right: ContentVersion): boolean {
  return left === right || versionKey(left) === versionKey(right);
}

/** For people. */
export function contentName(version: ContentVersion): string {
  return version.kind === 'file' ? `file ${version.fileId}` : `${version.volume}/${version.location}`;
}

export function versionOfFile({ id, sizeBytes, storage }: FileRecord): ContentVersion {
  if (storage.kind === 'platform') return { kind: 'file', fileId: id, sizeBytes };
  const { volume, location, etag } = storage;
  if (etag !== undefined) return { kind: 'object', volume, location, etag, sizeBytes };
  return { kind: 'alias', fileId: id, sizeBytes, volume, location };
}
