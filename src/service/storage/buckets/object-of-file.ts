import type { BigIntStats } from 'node:fs';
import type { ObjectInfo } from '../objects/bucket.ts';
import { DEFAULT_CONTENT_TYPE, DEFAULT_STORAGE_CLASS } from '../objects/bucket.ts';
import type { ObjectNote } from './object-notes.ts';

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59Z');

/** An object as its file and, where the service put it, its note describe it. */
export function describe(key: string, file: BigIntStats, note: ObjectNote | undefined): ObjectInfo {
  return {
    key,
    sizeBytes: Number(file.size),
    etag: note?.etag ?? fileEtag(file),
    updatedMs: note?.updatedMs ?? tellable(Number(file.mtimeMs)),
    contentType: note?.contentType ?? DEFAULT_CONTENT_TYPE,
    storageClass: note?.storageClass ?? DEFAULT_STORAGE_CLASS,
    writer: note?.writer,
  };
}

/** A file system may have times of any year, from a clock that was wrong or a disk that is: the API has those of four digits. */
function tellable(ms: number): number {
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
}

/** Changes with the content as far as a file system can tell; its `-` says that it is no MD5. */
function fileEtag(file: BigIntStats): string {
  return [file.size, file.mtimeNs, file.ino].map((number) => number.toString(16)).join('-');
}
