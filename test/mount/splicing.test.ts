/** Streams whose bytes go from the store's socket to the kernel, without a copy in the mount (decision 0012). */
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { readBehind } from '../support/read-behind.ts';
import { refaultedBytes } from '../support/refaulted-bytes.ts';
import { mustRun } from '../support/run.ts';
import { sampleBytes } from '../support/sample-bytes.ts';
import { ServedMount } from '../support/served-mount.ts';

const MIB = 1024 * 1024;
/** A page is fetched with its block of 16 KiB. */
const FETCHED_PER_PAGE = 4;
const SIZE = 96 * MIB + 12_345;
const content = sampleBytes(SIZE);

let served: ServedMount;
/** Not on the mount. */
let original: string;
let stream: string;
let other: string;

beforeAll(async () => {
  served = await ServedMount.start();
  const user = new TestUser(served.endpoint, 'demo', served.token);
  const folder = served.path('projects', (await user.project('Streams')).id);
  original = join(served.sandbox.root, 'original');
  stream = join(folder, 'stream.fastq');
  other = join(folder, 'other.fastq');
  for (const path of [original, stream, other]) await writeFile(path, content);
});
beforeEach(async () => {
  await served.unmount();
  await served.mount();
});
afterAll(() => served?.clean());

async function fetchedBytes(work: () => Promise<unknown>): Promise<number> {
  const before = (await served.counters()).storageGetBytes;
  await work();
  return (await served.counters()).storageGetBytes - before;
}

/** That `work` fetches so many bytes, and no more again than the kernel (by itself, or told by us) dropped of them before they were read. */
async function fetches(
  { bytes, dropped = 0 }: { readonly bytes: number; readonly dropped?: number },
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await refaultedBytes();
  const fetched = await fetchedBytes(work);
  const refaulted = (await refaultedBytes()) - before;
  expect(fetched).toBeGreaterThanOrEqual(bytes);
  expect(fetched).toBeLessThanOrEqual(bytes + dropped + refaulted * FETCHED_PER_PAGE);
}

/** That a MiB from there on is as it was written. */
async function check(file: FileHandle, at: number): Promise<void> {
  const piece = Buffer.alloc(MIB);
  const { bytesRead } = await file.read(piece, 0, MIB, at);
  expect(content.subarray(at, at + MIB).equals(piece.subarray(0, bytesRead))).toBe(true);
}

it('is right, fetched once, and leaves little in memory', async () => {
  await fetches({ bytes: SIZE }, () => readBehind(stream, content));
  const { cache, operations } = await served.sandbox.statistics();
  const { splicedBytes, cachedBytes, hits, misses } = cache;
  expect(hits + misses).toBe(operations['READ']?.answered);
  expect(splicedBytes).toBeGreaterThan(0);
  // Each byte was read once, and 16 MiB are kept: a range that was received in part has room for all of it.
  expect(cachedBytes).toBeLessThanOrEqual(16 * MIB);
});

it('is fetched anew by who reads past the page cache', async () => {
  await readBehind(stream, content);
  const direct = `dd if=${stream} iflag=direct bs=1M status=none | cmp - ${original}`;
  expect(await fetchedBytes(() => mustRun('bash', ['-c', direct]))).toBeGreaterThan(0);
});

it('is right for readers at once, of one file and of two', async () => {
  const direct = `dd if=${stream} iflag=direct bs=768K status=none | cmp - ${original}`;
  await Promise.all([
    readBehind(stream, content),
    readBehind(other, content),
    mustRun('bash', ['-c', direct]),
    mustRun('bash', ['-c', direct]),
  ]);
});

it('holds nobody up when its reader stops, who goes on with what came meanwhile', async () => {
  await fetches({ bytes: 2 * SIZE }, async () => {
    const file = await open(stream);
    for (let at = 0; at < 16 * MIB; at += MIB) await check(file, at);
    await mustRun('cmp', [original, other]);
    for (let at = 16 * MIB; at < SIZE; at += MIB) await check(file, at);
    await file.close();
  });
});

it('goes on when the kernel asks anew for what it dropped before it was read', async () => {
  await fetches({ bytes: SIZE, dropped: MIB }, async () => {
    const file = await open(stream);
    for (let at = 0; at < 17 * MIB; at += MIB) await check(file, at);
    const drop =
      'import os, sys; os.posix_fadvise(os.open(sys.argv[1], 0), 17 << 20, 1 << 20, os.POSIX_FADV_DONTNEED)';
    await mustRun('python3', ['-c', drop, stream]);
    for (let at = 17 * MIB; at < SIZE; at += MIB) await check(file, at);
    await file.close();
  });
});

it('is right for who skips, and steps back', async () => {
  const file = await open(stream);
  for (let at = 0; at < 24 * MIB; at += MIB) await check(file, at);
  for (let at = 24 * MIB; at < 64 * MIB; at += 2 * MIB) await check(file, at);
  for (let at = 63 * MIB; at > 24 * MIB; at -= 2 * MIB) await check(file, at);
  for (let at = 64 * MIB; at < SIZE; at += MIB) await check(file, at);
  await file.close();
});

it('is received where it has to be kept: for the disk cache', async () => {
  await served.unmount();
  const cache = join(served.sandbox.root, 'cache');
  await served.mount(['--cache-dir', cache]);
  await readBehind(stream, content);
  expect((await served.sandbox.statistics()).cache.splicedBytes).toBe(0);
  await served.unmount();
  await served.mount(['--cache-dir', cache]);
  expect(await fetchedBytes(() => mustRun('cmp', [original, stream]))).toBe(0);
});
