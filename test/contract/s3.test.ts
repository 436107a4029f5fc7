import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { S3BlobStore } from '../../src/service/storage/blobs/s3-blob-store.ts';
import { ContentTypes } from '../../src/service/storage/buckets/content-types.ts';
import { S3Bucket } from '../../src/service/storage/buckets/s3-bucket.ts';
import type { PutOptions } from '../../src/service/storage/objects/bucket.ts';
import type { S3Place } from '../../src/service/storage/objects/s3-object.ts';
import { S3_COPY_SIZES } from '../../src/service/storage/s3/copy-object.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { blobStoreSuite } from './blob-store-suite.ts';
import { bucketSuite } from './buckets/bucket-suite.ts';

let gateway: RadosGateway;
let user: StoreUser;
let blobs: S3BlobStore;
let made = 0;
const contentTypes = new ContentTypes(systemClock);

beforeAll(async () => {
  gateway = await RadosGateway.start();
  user = await gateway.createUser('ann');
  await gateway.createBucket(user, 'blobs');
  const place = placeOf('blobs');
  blobs = new S3BlobStore({
    place,
    signer: place.client,
    prefix: 'svcfs/lab',
    partUrlSeconds: 60,
    downloadUrlSeconds: 60,
    clock: systemClock,
  });
});
afterAll(() => gateway.stop());

function placeOf(bucket: string): S3Place {
  return { client: gateway.client(user), bucket, stores: [gateway.endpoint] };
}

function bucketAt(bucket: string, copySizes = S3_COPY_SIZES): S3Bucket {
  return new S3Bucket({ place: placeOf(bucket), copySizes, contentTypes, clock: systemClock });
}

bucketSuite({
  name: 'S3',
  make: async () => {
    made += 1;
    await gateway.createBucket(user, `bucket-${made}`);
    return bucketAt(`bucket-${made}`);
  },
  missing: async () => bucketAt('never-made'),
  keepsOpenObjects: false,
});

describe('a copy within a store', () => {
  const MIB = 1024 * 1024;
  /** As if the store copied no more than that in one request. */
  const SMALL = { wholeMax: 6 * MIB, part: 5 * MIB };

  async function copyOf(content: Buffer, options: Partial<PutOptions> = {}) {
    const { key } = await blobs.write(Readable.from([content]));
    const blob = await blobs.open(key);
    if (blob?.s3Object === undefined) throw new Error('the blob is an object of the store');
    const stream = (): never => {
      throw new Error('the bytes came to this process');
    };
    const source = { kind: 'object', object: blob.s3Object, stream } as const;
    return bucketAt('copies', SMALL).put('copy', source, { overwrite: true, ...options });
  }

  beforeAll(() => gateway.createBucket(user, 'copies'));

  it.each([
    ['whole up to the limit', 6 * MIB, /^[0-9a-f]{32}$/],
    ['in parts beyond it', 6 * MIB + 1, /-2$/],
    ['in parts that come out even', 15 * MIB, /-3$/],
    ['when it is empty', 0, /^[0-9a-f]{32}$/],
  ])('is made %s', async (_how, length, etag) => {
    const content = randomBytes(length);
    const writer = `job-${length}`;
    const info = await copyOf(content, { writer, contentType: 'text/vcf' });
    expect(info).toMatchObject({ sizeBytes: length, writer, contentType: 'text/vcf' });
    expect(info.etag).toMatch(etag);
    const copy = await bucketAt('copies').open('copy');
    expect(md5(copy && (await buffer(copy.stream())))).toBe(md5(content));
  });

  it('that is broken off leaves nothing behind', async () => {
    const signal = AbortSignal.abort(new Error('the worker stops'));
    await expect(copyOf(randomBytes(11 * MIB), { signal })).rejects.toThrow();
    const { client, bucket } = placeOf('copies');
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    expect(Uploads ?? []).toEqual([]);
  });
});

function md5(content: Buffer | undefined): string {
  return createHash('md5')
    .update(content ?? '')
    .digest('hex');
}

describe('S3 blob store', () => {
  blobStoreSuite(() => ({
    store: blobs,
    leavesPartsOut: false,
    sendPart: async (target, partNumber, bytes) => {
      const { url } = await blobs.partAddress(target, partNumber);
      const answer = await fetch(url, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> });
      if (answer.status !== 200) throw new Error(await answer.text());
      return { partNumber, etag: (answer.headers.get('ETag') ?? '').replaceAll('"', '') };
    },
  }));

  it('removes the uploads that nobody knows, and no active one', async () => {
    const active = await blobs.beginUpload();
    const forgotten = await blobs.beginUpload();
    const isActive = (key: string): boolean => key === active.key;
    const { client, bucket: Bucket } = placeOf('blobs');
    const foreign = ['notes.txt', 'svcfs/lab/no/notes', `svcfs/lab2/ab/${active.key}`];
    for (const Key of foreign) await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const removed = async (before: number): Promise<number> => {
      let count = 0;
      for await (const { remove } of blobs.remains(before, isActive)) if (await remove()) count += 1;
      return count;
    };
    expect(await removed(Date.now() - 60_000)).toBe(0);
    expect(await removed(Date.now() + 60_000)).toBeGreaterThan(0);
    const part = { partNumber: 1, etag: md5(Buffer.from('x')) };
    const put = async (target: typeof active): Promise<number> => {
      const { url } = await blobs.partAddress(target, 1);
      return (await fetch(url, { method: 'PUT', body: 'x' })).status;
    };
    expect([await put(active), await put(forgotten)]).toEqual([200, 404]);
    expect(await blobs.partSizes(active, [part])).toEqual([1]);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads.map(({ Key }) => Key)).toEqual(expect.arrayContaining(foreign));
  });
});
