import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { BucketError } from '../objects/bucket-error.ts';
import type { ByteRange } from '../objects/byte-source.ts';
import type { S3Object } from '../objects/s3-object.ts';
import { isNamed, s3Failure } from './s3-failure.ts';

/** A connection that breaks so often without a byte between is given up. */
const FUTILE_ATTEMPTS = 3;

/** An object, and which content of it when others may come under its key. */
type Version = S3Object & { readonly etag?: string };

/**
 * The bytes of an object, of that version alone: when the store has another one under the key, the stream fails. Begun
 * when it is first read; a connection that breaks is made again where it stopped.
 */
export function readObject(object: Version, range?: ByteRange): Readable {
  const { first, last } = range ?? { first: 0, last: object.sizeBytes - 1 };
  if (first > last) return Readable.from([]);
  return Readable.from(chunks(object, { first, last }), { objectMode: false });
}

async function* chunks(object: Version, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let at = first;
  let futile = 0;
  while (at <= last) {
    const before = at;
    let broken: unknown;
    try {
      for await (const chunk of await get(object, { first: at, last })) {
        at += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
      broken = error;
    }
    futile = at > before ? 0 : futile + 1;
    if (futile >= FUTILE_ATTEMPTS)
      throw s3Failure(broken ?? new Error('the body is too short'), 'get-denied');
  }
}

async function get(
  { place, key, etag }: Version,
  { first, last }: ByteRange,
): Promise<AsyncIterable<Buffer>> {
  const { client, bucket } = place;
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    Range: `bytes=${first}-${last}`,
    ...(etag === undefined ? {} : { IfMatch: `"${etag}"` }),
  });
  const { Body } = await client.send(command).catch((error) => {
    if (isNamed(error, 'PreconditionFailed')) {
      throw new BucketError('refused', 'the object was replaced while it was read', { cause: error });
    }
    throw s3Failure(error, 'get-denied');
  });
  return Body as Readable;
}

/** The body ended early: what Node and the SDK say then. */
function isBroken(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ETIMEDOUT'].includes(code);
}
