import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { DirectoryBlobStore } from '../../src/service/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/blobs/url-signer.ts';
import { blobStoreSuite } from './blob-store-suite.ts';

const directory = dirSync({ unsafeCleanup: true });
const options = {
  root: directory.name,
  signer: new UrlSigner(randomBytes(32), systemClock),
  partUrlSeconds: 60,
  downloadUrlSeconds: 60,
};
const store = new DirectoryBlobStore(options);
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

test('an upload that two processes complete at once is one blob to both', async () => {
  const other = new DirectoryBlobStore(options);
  for (let round = 0; round < 50; round += 1) {
    const target = await store.beginUpload();
    const parts = [];
    for (const partNumber of [1, 2, 3].slice(0, 1 + (round % 3))) {
      const part = await store.receivePart(target.key, partNumber, Readable.from([Buffer.from('part')]));
      parts.push({ partNumber, etag: part?.etag ?? '' });
    }
    const [one, two] = await Promise.all([
      store.completeUpload(target, parts),
      other.completeUpload(target, parts),
    ]);
    expect(two).toEqual(one);
    const blob = await other.open(one.key);
    expect((await buffer(blob?.stream() ?? Readable.from([]))).toString()).toBe('part'.repeat(parts.length));
  }
});
