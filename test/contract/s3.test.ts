import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { S3BlobStore } from '../../src/service/blobs/s3-blob-store.ts';
import { S3Bucket } from '../../src/service/buckets/s3-bucket.ts';
import { S3_COPY_SIZES } from '../../src/service/s3/copy-object.ts';
import type { S3Place } from '../../src/service/s3/s3-object.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { blobStoreSuite } from './blob-store-suite.ts';
import { bucketSuite } from './buckets/bucket-suite.ts';

let gateway: RadosGateway;
let user: StoreUser;
let blobs: S3BlobStore;
let made = 0;

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

function bucketAt(bucket: string): S3Bucket {
  return new S3Bucket({ place: placeOf(bucket), copySizes: S3_COPY_SIZES, clock: systemClock });
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
});
