/**
 * A bucket of an S3-compatible store.
 *
 * It asks for features that AWS has. Other stores may lack conditional puts (`If-None-Match`). Two puts at once may then
 * both take a key; a put of a key that is taken already is refused all the same.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import type { Clock } from '../../../lib/clock.ts';
import type {
  Bucket,
  ListPage,
  ListQuery,
  ObjectInfo,
  OpenObject,
  PutOptions,
  PutSource,
} from '../objects/bucket.ts';
import { DEFAULT_CONTENT_TYPE, DEFAULT_STORAGE_CLASS } from '../objects/bucket.ts';
import { BucketError } from '../objects/bucket-error.ts';
import type { SignedAddress } from '../objects/byte-source.ts';
import { bareEtag, onOneStore, type S3Place } from '../objects/s3-object.ts';
import { type CopySizes, copyObject } from '../s3/copy-object.ts';
import { objectHeaders, WRITER } from '../s3/object-headers.ts';
import { readObject } from '../s3/read-object.ts';
import { isAbsent, noStore, refuseAs, s3Failure } from '../s3/s3-failure.ts';
import { signedAddress } from '../s3/signed-address.ts';
import { writeObject } from '../s3/write-object.ts';
import type { ContentTypes } from './content-types.ts';
import { putFailure } from './put-failure.ts';

export interface S3BucketOptions {
  readonly place: S3Place;
  readonly copySizes: CopySizes;
  /** Shared between the buckets that this process opens. */
  readonly contentTypes: ContentTypes;
  readonly clock: Clock;
}

export class S3Bucket implements Bucket {
  readonly #options: S3BucketOptions;

  constructor(options: S3BucketOptions) {
    this.#options = options;
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const { client, bucket } = this.#options.place;
    try {
      const info = infoOf(key, await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })));
      return !hasDotSegment(key) || (await this.#lists(info)) ? info : undefined;
    } catch (error) {
      if (isAbsent(error)) return await this.#mustExist();
      throw await this.#explained(key, error);
    }
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { client, bucket } = this.#options.place;
    const page = await client
      .send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: query.prefix,
          Delimiter: '/',
          MaxKeys: query.limit,
          ContinuationToken: query.continuation,
          // XML cannot hold every character that a key can.
          EncodingType: 'url',
        }),
      )
      .catch(refuseAs('list-denied'));
    // Of a page that is no listing the SDK makes an empty one. Every store says whether there is more.
    if (page.IsTruncated === undefined) throw noStore(new Error('the answer is no listing'));
    const objects = (page.Contents ?? []).map(({ Key, Size, ETag, LastModified, StorageClass }) => ({
      key: decoded(Key),
      sizeBytes: Size ?? 0,
      etag: bareEtag(ETag),
      updatedMs: wholeSeconds(LastModified),
      contentType: DEFAULT_CONTENT_TYPE,
      storageClass: StorageClass ?? DEFAULT_STORAGE_CLASS,
      writer: undefined,
    }));
    return {
      objects: query.contentTypes === true ? await this.#withContentTypes(objects) : objects,
      prefixes: (page.CommonPrefixes ?? []).map(({ Prefix }) => decoded(Prefix)),
      continuation: page.IsTruncated === true ? page.NextContinuationToken : undefined,
    };
  }

  async open(key: string): Promise<OpenObject | undefined> {
    const info = await this.head(key);
    if (info === undefined) return undefined;
    const { sizeBytes, etag } = info;
    const stream: OpenObject['stream'] = (range) =>
      readObject({ place: this.#options.place, key, sizeBytes, etag }, range);
    return { info, sizeBytes, etag, stream, close: () => Promise.resolve() };
  }

  async put(key: string, source: PutSource, options: PutOptions): Promise<ObjectInfo> {
    if (!options.overwrite && (await this.head(key)) !== undefined) {
      throw new BucketError('exists', 'there is an object under that key');
    }
    try {
      if (!(await this.#copied(key, source, options))) await this.#sent(key, source, options);
    } catch (error) {
      throw putFailure(error, options);
    }
    const info = await this.head(key);
    if (info === undefined) throw new BucketError('unreachable', 'the object vanished after it was put');
    return info;
  }

  /** An upload in parts that was begun and given up is no object, and wants the same right as one that ends. */
  async tryPut(key: string): Promise<void> {
    const { client, bucket } = this.#options.place;
    const at = { Bucket: bucket, Key: key };
    const { UploadId } = await client
      .send(new CreateMultipartUploadCommand(at))
      .catch(refuseAs('put-denied'));
    // What may put and not give up has its upload swept by the rules of the bucket.
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => undefined);
  }

  addressOf(key: string, lifetimeSeconds: number): Promise<SignedAddress | undefined> {
    // A client that follows an address takes such segments out of it.
    if (hasDotSegment(key)) return Promise.resolve(undefined);
    const { client, bucket } = this.#options.place;
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    return signedAddress(command, { client, lifetimeSeconds, clock: this.#options.clock });
  }

  /**
   * Whether the store has this object under this very key. Some take `a/../b` in an address for `b`; in a listing the key is
   * no part of the path.
   */
  async #lists({ key, etag }: ObjectInfo): Promise<boolean> {
    const { client, bucket } = this.#options.place;
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: key, MaxKeys: 1, EncodingType: 'url' }),
    );
    const [first] = page.Contents ?? [];
    return first !== undefined && decoded(first.Key) === key && bareEtag(first.ETag) === etag;
  }

  /** False when the source is on another store, or nobody may read it there and write it here. */
  async #copied(key: string, source: PutSource, options: PutOptions): Promise<boolean> {
    if (source.kind !== 'object' || !onOneStore(source.object.place, this.#options.place)) return false;
    return copyObject({
      source: source.object,
      target: { ...this.#options.place, key },
      headers: objectHeaders(options),
      sizes: this.#options.copySizes,
      signal: options.signal,
    });
  }

  async #sent(key: string, source: PutSource, options: PutOptions): Promise<void> {
    const { bytes, sizeBytes } = await bytesOf(source);
    const headers = objectHeaders(options);
    const object = { key, bytes, sizeBytes, headers, signal: options.signal };
    await writeObject(this.#options.place, object).finally(() => bytes.destroy());
  }

  #withContentTypes(objects: readonly ObjectInfo[]): Promise<readonly ObjectInfo[]> {
    const { bucket, stores } = this.#options.place;
    // A user who may list may not be allowed to read; the listing answers all the same.
    const ask = (key: string): Promise<string | undefined> =>
      this.head(key).then(
        (info) => info?.contentType,
        () => undefined,
      );
    return this.#options.contentTypes.complete([...stores, bucket].join(' '), objects, ask);
  }

  /** An answer to HEAD has no body, and so does not tell a missing bucket from a missing object. */
  async #mustExist(): Promise<undefined> {
    const { client, bucket } = this.#options.place;
    await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error) => {
      if (isAbsent(error)) throw new BucketError('no-bucket', 'there is no such bucket', { cause: error });
    });
  }

  /** HEAD does not say why it refuses: the same question by GET does. */
  async #explained(key: string, error: unknown): Promise<unknown> {
    const { client, bucket } = this.#options.place;
    const get = new GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-0' });
    const reason = await client.send(get).then(
      ({ Body }) => {
        (Body as Readable | undefined)?.destroy();
        return error;
      },
      (told: unknown) => told,
    );
    return s3Failure(reason, 'get-denied');
  }
}

async function bytesOf(
  source: PutSource,
): Promise<{ readonly bytes: Readable; readonly sizeBytes: number | undefined }> {
  switch (source.kind) {
    case 'stream':
      return { bytes: source.stream, sizeBytes: source.sizeBytes };
    case 'object':
      return { bytes: source.stream(), sizeBytes: source.object.sizeBytes };
    case 'file': {
      // First: nobody listens yet to what the stream says of a file that cannot be opened.
      const { size } = await stat(source.path);
      return { bytes: createReadStream(source.path), sizeBytes: size };
    }
  }
}

function infoOf(key: string, head: HeadObjectCommandOutput): ObjectInfo {
  return {
    key,
    sizeBytes: head.ContentLength ?? 0,
    etag: bareEtag(head.ETag),
    updatedMs: wholeSeconds(head.LastModified),
    contentType: head.ContentType ?? DEFAULT_CONTENT_TYPE,
    storageClass: head.StorageClass ?? DEFAULT_STORAGE_CLASS,
    writer: head.Metadata?.[WRITER],
  };
}

/** Whether the key holds a segment that is `.` or `..`, which means something in a path. */
function hasDotSegment(key: string): boolean {
  return key.split('/').some((segment) => segment === '.' || segment === '..');
}

/** A listing knows fractions, the answer to HEAD does not: one object has one time. */
function wholeSeconds(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000) * 1000;
}

function decoded(text = ''): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
