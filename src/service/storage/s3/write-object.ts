import type { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { PART_COUNT_MAX } from '../../../contract/limits.ts';
import type { S3Place } from '../objects/s3-object.ts';
import type { ObjectHeaders } from './object-headers.ts';

const MIB = 1024 * 1024;
const PART_SIZE = 16 * MIB;
/** Parts of one object that wait in memory, all together. */
const BUFFERED_BYTES = 64 * MIB;

export interface StreamedObject {
  readonly key: string;
  readonly bytes: Readable;
  /** Undefined: not known; then at most 10,000 parts of 16 MiB. */
  readonly sizeBytes: number | undefined;
  readonly headers: ObjectHeaders;
  readonly signal?: AbortSignal | undefined;
}

/** Puts an object from a stream: in one request when it is small, else in parts, which are removed when it fails. */
export async function writeObject({ client, bucket }: S3Place, object: StreamedObject): Promise<void> {
  const { key, bytes, sizeBytes = 0, headers, signal } = object;
  const partSize = Math.max(PART_SIZE, Math.ceil(sizeBytes / PART_COUNT_MAX));
  const abortController = new AbortController();
  const abort = (): void => abortController.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const upload = new Upload({
      client,
      params: { Bucket: bucket, Key: key, Body: bytes, ...headers },
      partSize,
      queueSize: Math.max(1, Math.floor(BUFFERED_BYTES / partSize)),
      abortController,
    });
    await upload.done();
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
