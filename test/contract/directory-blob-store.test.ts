import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { DirectoryBlobStore } from '../../src/service/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/blobs/url-signer.ts';
import { blobStoreSuite } from './blob-store-suite.ts';

const directory = dirSync({ unsafeCleanup: true });
const store = new DirectoryBlobStore({
  root: directory.name,
  signer: new UrlSigner(randomBytes(32), systemClock),
  partUrlSeconds: 60,
  downloadUrlSeconds: 60,
});
beforeAll(() => store.prepare());
afterAll(() => directory.removeCallback());

blobStoreSuite(() => ({
  store,
  leavesPartsOut: true,
  sendPart: async ({ key }, partNumber, bytes) => {
    const part = await store.receivePart(key, partNumber, Readable.from([bytes]));
    return { partNumber, etag: part?.etag ?? '' };
  },
}));

test('a part for an upload that is gone is not kept', async () => {
  const target = await store.beginUpload();
  await store.abortUpload(target);
  expect(await store.receivePart(target.key, 1, Readable.from([Buffer.from('late')]))).toBeUndefined();
});

test('a blob of one piece is one local file, of several it is none', async () => {
  const { key } = await store.write(Readable.from([Buffer.from('x')]));
  const blob = await store.open(key);
  expect(blob?.localPath).toContain(key);
  await blob?.close();
});
