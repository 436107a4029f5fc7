import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import {
  MissingPartError,
  type PartName,
  type UploadTarget,
} from '../../src/service/storage/blobs/blob-store.ts';
import { DirectoryBlobStore } from '../../src/service/storage/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/storage/blobs/url-signer.ts';
import { beforeNextSync } from '../support/before-next-sync.ts';
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
  sendPart: (target, partNumber, bytes) => send(target, partNumber, bytes),
}));

async function send(
  { key }: UploadTarget,
  partNumber: number,
  bytes: string | Uint8Array,
): Promise<PartName> {
  const part = await store.receivePart(key, partNumber, Readable.from([Buffer.from(bytes)]));
  return { partNumber, etag: part?.etag ?? '' };
}

async function text(key: string): Promise<string> {
  const blob = await store.open(key);
  return (await buffer(blob?.stream() ?? Readable.from([]))).toString();
}

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

test('a blob that was linked elsewhere is no longer changed there once it is had alone', async () => {
  const { key } = await store.write(Readable.from([Buffer.from('content')]));
  const blob = await store.open(key);
  const elsewhere = join(directory.name, 'object');
  await link(blob?.localPath ?? '', elsewhere);
  await blob?.close();
  await store.unshare(key);
  await writeFile(elsewhere, 'changed');
  expect(await text(key)).toBe('content');
  const hidden = (await readdir(join(directory.name, 'uploads'))).filter((name) => name.startsWith('.'));
  expect(hidden).toEqual([]);
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

test('a completion that a part sent again has voided makes the upload what it was, also after a crash', async () => {
  const target = await store.beginUpload();
  const sent = [await send(target, 1, 'one'), await send(target, 2, 'two')];
  await store.completeUpload(target, sent);
  // As if the process had ended right after the directory moved, with the part replaced before that.
  const blob = join(directory.name, 'blobs', target.key.slice(0, 2), target.key);
  await rm(join(blob, '1', sent[0]?.etag ?? ''));
  const restarted = new DirectoryBlobStore(options);
  await expect(restarted.completeUpload(target, sent)).rejects.toMatchObject({ partNumber: 1 });
  expect(existsSync(blob)).toBe(false);
  const again = await send(target, 1, 'once more ');
  const { key } = await restarted.completeUpload(target, [again, ...sent.slice(1)]);
  const made = await restarted.open(key);
  expect((await buffer(made?.stream() ?? Readable.from([]))).toString()).toBe('once more two');
});

test('the only part, sent again while it becomes the blob, is missing', async () => {
  const target = await uploadIntoNewDirectory();
  const sent = await send(target, 1, 'one');
  const reports: PartName[] = [];
  await beforeNextSync(async () => {
    reports.push(await send(target, 1, 'again'));
  });
  await expect(store.completeUpload(target, [sent])).rejects.toThrow(MissingPartError);
  const { key } = await store.completeUpload(target, reports);
  expect(await text(key)).toBe('again');
});

/** One whose blob is the first of its directory, which is then made, durably. */
async function uploadIntoNewDirectory(): Promise<UploadTarget> {
  for (;;) {
    const target = await store.beginUpload();
    if (!existsSync(join(directory.name, 'blobs', target.key.slice(0, 2)))) return target;
  }
}
