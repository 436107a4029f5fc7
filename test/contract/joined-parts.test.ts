/** Blobs of parts become one file each, while they are read, completed and removed, and over crashes. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { PartName } from '../../src/service/storage/blobs/blob-store.ts';
import { DirectoryBlobStore } from '../../src/service/storage/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/storage/blobs/url-signer.ts';
import { beforeNextSync } from '../support/before-next-sync.ts';

const directory = dirSync({ unsafeCleanup: true });
const options = {
  root: directory.name,
  signer: new UrlSigner(randomBytes(32), systemClock),
  partUrlSeconds: 60,
  downloadUrlSeconds: 60,
};
const store = new DirectoryBlobStore(options);
/** What another process knows of the same directory. */
const other = new DirectoryBlobStore(options);
beforeAll(() => store.prepare());
afterAll(() => directory.removeCallback());

const uploads = join(directory.name, 'uploads');
const blobAt = (key: string): string => join(directory.name, 'blobs', key.slice(0, 2), key);
/** Odd, so that no border lies at a block's. */
const PARTS = [300_001, 1, 700_003].map((size) => randomBytes(size));
const WHOLE = Buffer.concat(PARTS);

async function uploaded(): Promise<{ readonly key: string; readonly parts: readonly PartName[] }> {
  const target = await store.beginUpload();
  const parts: PartName[] = [];
  for (const [at, bytes] of PARTS.entries()) {
    const part = await store.receivePart(target.key, at + 1, Readable.from([bytes]));
    parts.push({ partNumber: at + 1, etag: part?.etag ?? '' });
  }
  await store.completeUpload(target, parts);
  return { key: target.key, parts };
}

/** How many blobs became one file. */
async function joinAll(
  of: DirectoryBlobStore = store,
  signal = new AbortController().signal,
): Promise<number> {
  let count = 0;
  for await (const parted of of.parted(Date.now() - 60_000)) if (await parted.join(signal)) count += 1;
  return count;
}

async function bytesOf(key: string, from: DirectoryBlobStore = store): Promise<Buffer> {
  const blob = await from.open(key);
  return buffer(blob?.stream() ?? Readable.from([]));
}

async function isOneFile(key: string): Promise<boolean> {
  const names = await readdir(join(blobAt(key), '..'));
  const own = names.filter((name) => name.startsWith(key));
  return own.length === 1 && (await stat(blobAt(key))).isFile();
}

test('a blob of parts becomes one file with the same bytes, and nothing else is left of it', async () => {
  const { key } = await uploaded();
  expect(await joinAll()).toBe(1);
  expect(await isOneFile(key)).toBe(true);
  expect((await bytesOf(key)).equals(WHOLE)).toBe(true);
  const blob = await store.open(key);
  expect(blob?.localPath).toBe(blobAt(key));
  await blob?.close();
  expect(await readdir(uploads)).toEqual([]);
  expect(await joinAll()).toBe(0);
});

test('a reader that began before goes on, and so does a process that remembers the parts', async () => {
  const { key } = await uploaded();
  await bytesOf(key, other);
  const begun = await store.open(key);
  const first = Buffer.alloc(100);
  await begun?.readAt?.(first, 0);
  const streamed = (await other.open(key))?.stream({ first: 5, last: WHOLE.length - 2 });
  await joinAll();
  expect(first.equals(WHOLE.subarray(0, 100))).toBe(true);
  const last = Buffer.alloc(100);
  expect(await begun?.readAt?.(last, WHOLE.length - 100)).toBe(100);
  expect(last.equals(WHOLE.subarray(-100))).toBe(true);
  await begun?.close();
  expect((await buffer(streamed ?? Readable.from([]))).equals(WHOLE.subarray(5, -1))).toBe(true);
  expect((await bytesOf(key, other)).equals(WHOLE)).toBe(true);
});

test('a completion that is repeated afterwards answers the same, also by a process that remembers the parts', async () => {
  const { key, parts } = await uploaded();
  const before = await other.completeUpload({ key }, parts);
  await joinAll();
  expect(await store.completeUpload({ key }, parts)).toEqual(before);
  expect(await other.completeUpload({ key }, parts)).toEqual(before);
  expect(await isOneFile(key)).toBe(true);
});

test('what a crash left at any step is a whole blob, and is gone on from', async () => {
  const aside = await uploaded();
  await rename(blobAt(aside.key), `${blobAt(aside.key)}.parts`);
  const both = await uploaded();
  await rename(blobAt(both.key), `${blobAt(both.key)}.parts`);
  await writeFile(blobAt(both.key), WHOLE);
  const restarted = new DirectoryBlobStore(options);
  for (const { key, parts } of [aside, both]) {
    expect((await bytesOf(key, restarted)).equals(WHOLE)).toBe(true);
    expect((await restarted.completeUpload({ key }, parts)).sizeBytes).toBe(WHOLE.length);
  }
  expect(await joinAll(restarted)).toBe(2);
  for (const { key } of [aside, both]) {
    expect(await isOneFile(key)).toBe(true);
    expect((await bytesOf(key)).equals(WHOLE)).toBe(true);
  }
});

test('what a process left that ended in the middle goes soon; what is written now stays', async () => {
  const [old, young] = ['.joining-old', '.joining-young'].map((name) => join(uploads, name));
  await mkdir(join(old ?? '', '1'), { recursive: true });
  await writeFile(young ?? '', 'x');
  await utimes(young ?? '', new Date(0), new Date(0));
  for await (const parted of store.parted(Date.now() - 60_000)) expect(parted).toBeUndefined();
  expect((await readdir(uploads)).sort()).toEqual(['.joining-old', '.joining-young']);
  for await (const parted of store.parted(Date.now() + 60_000)) expect(parted).toBeUndefined();
  expect(await readdir(uploads)).toEqual([]);
});

test('two processes that join the same blob at once make one file of it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { key } = await uploaded();
    await Promise.all([joinAll(store), joinAll(other)]);
    await joinAll();
    expect(await isOneFile(key)).toBe(true);
    expect((await bytesOf(key)).equals(WHOLE)).toBe(true);
  }
  expect(await readdir(uploads)).toEqual([]);
});

test('a blob that is removed while it is joined stays removed', async () => {
  const { key } = await uploaded();
  await beforeNextSync(() => other.remove(key));
  expect(await joinAll()).toBe(0);
  expect(await store.open(key)).toBeUndefined();
  const later = await uploaded();
  await rename(blobAt(later.key), `${blobAt(later.key)}.parts`);
  await store.remove(later.key);
  expect(await store.open(later.key)).toBeUndefined();
  const left = await readdir(join(blobAt(later.key), '..'));
  expect(left.filter((name) => name.startsWith(later.key))).toEqual([]);
  expect(await readdir(uploads)).toEqual([]);
});

test('a process that is to end leaves the parts as they are', async () => {
  const { key } = await uploaded();
  expect(await joinAll(store, AbortSignal.abort())).toBe(0);
  expect((await stat(blobAt(key))).isDirectory()).toBe(true);
  expect(await readdir(uploads)).toEqual([]);
  await store.remove(key);
});

test('a part that is gone or short keeps the others as they are', async () => {
  const { key, parts } = await uploaded();
  await writeFile(join(blobAt(key), '3', parts[2]?.etag ?? ''), 'short');
  await expect(joinAll()).rejects.toThrow('the file has 5 bytes, and not 700003');
  await rm(join(blobAt(key), '3'), { recursive: true });
  expect(await joinAll()).toBe(0);
  expect((await stat(blobAt(key))).isDirectory()).toBe(true);
  expect(await readdir(uploads)).toEqual([]);
  await store.remove(key);
});
