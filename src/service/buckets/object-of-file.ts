import type { BigIntStats } from 'node:fs';
import type { ObjectInfo } from './bucket.ts';
import { DEFAULT_CONTENT_TYPE, DEFAULT_STORAGE_CLASS, type ObjectNote } from './object-notes.ts';

/** An object as its file and, where the service put it, its note describe it. */
export function describe(key: string, file: BigIntStats, note: ObjectNote | undefined): ObjectInfo {
  return {
    key,
    sizeBytes: Number(file.size),
    etag: note?.etag ?? fileEtag(file),
    updatedMs: note?.updatedMs ?? Number(file.mtimeMs),
    contentType: note?.contentType ?? DEFAULT_CONTENT_TYPE,
    storageClass: note?.storageClass ?? DEFAULT_STORAGE_CLASS,
    writer: note?.writer,
  };
}

/** Changes with the content as far as a file system can tell; its `-` says that it is no MD5. */
function fileEtag(file: BigIntStats): string {
  return [file.size, file.mtimeNs, file.ino].map((number) => number.toString(16)).join('-');
}
