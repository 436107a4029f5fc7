/** Reading on a machine that gives no more memory, as under `ulimit -v` or with vm.overcommit_memory=2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allocateChunk } from '../../../../src/content/memory/chunk.ts';
import type { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import { patterned } from '../fake-platform.ts';
import { bytesOf, fileVersion, forever, KIB, MIB, type Setup, setup } from './reader-world.ts';

const BUDGET = 64 * MIB;
const PIECE = 128 * KIB;

let refuses = false;
let world: Setup;
let unhandled: unknown[];
const note = (reason: unknown): number => unhandled.push(reason);

beforeEach(() => {
  refuses = false;
  unhandled = [];
  process.on('unhandledRejection', note);
  world = setup(BUDGET, (sizeBytes) => {
    if (refuses) throw new Error('mmap: ENOMEM');
    return allocateChunk(sizeBytes);
  });
});
afterEach(() => {
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

/** Reads the first 512 KiB of a new file over a new handle, as a stream. */
async function readStream(seed: number): Promise<void> {
  const { platform, reader } = world;
  const bytes = patterned(8 * MIB, seed);
  const handle = reader.open(fileVersion(platform, bytes));
  try {
    for (let at = 0; at < 4 * PIECE; at += PIECE) {
      const read = await bytesOf(handle.read(at, PIECE, forever));
      expect(read.equals(bytes.subarray(at, at + PIECE))).toBe(true);
    }
  } finally {
    handle.close();
  }
}

/** As many bytes as a new stream fetches: those ahead of what it reads as well. */
async function fetchedByStream(seed: number): Promise<number> {
  const before = world.platform.ranges.length;
  await readStream(seed);
  return world.platform.ranges.length - before;
}

/** Nothing is lent, nor was lost: the whole budget can be had as one. */
function expectAllBack(memory: MemoryPool): void {
  const all = memory.tryAcquire(BUDGET);
  expect(all).toBeDefined();
  if (all !== undefined) memory.release(all);
  expect(memory.lentBytes).toBe(0);
}

it('goes on in the memory that the mount has, and in more when there is some', async () => {
  const usual = await fetchedByStream(0);
  refuses = true;
  for (let seed = 1; seed <= 30; seed += 1) await readStream(seed);
  refuses = false;
  await world.clock.advance(1000);
  expect(await fetchedByStream(31)).toBe(usual);
  await world.clock.advance(0);
  expectAllBack(world.memory);
});

it('fails for want of memory when the mount has none, and reads when there is some', async () => {
  refuses = true;
  for (let seed = 1; seed <= 30; seed += 1) {
    await expect(readStream(seed)).rejects.toMatchObject({ name: 'ContentError', kind: 'no-memory' });
  }
  refuses = false;
  await world.clock.advance(1000);
  await readStream(31);
  await world.clock.advance(0);
  expectAllBack(world.memory);
});

it('keeps nothing of a read that only a part of its memory could be had for', async () => {
  const { platform, reader, memory } = world;
  const handle = reader.open(fileVersion(platform, patterned(BUDGET)));
  const held = Array.from({ length: 7 }, () => memory.acquireNow(8 * MIB));
  await bytesOf(handle.read(0, KIB, forever));
  refuses = true;
  expect(() => handle.read(20 * MIB, 12 * MIB, forever)).toThrow(
    expect.objectContaining({ kind: 'no-memory' }),
  );
  handle.close();
  await world.clock.advance(1000);
  for (const buffer of held) memory.release(buffer);
  refuses = false;
  expectAllBack(memory);
});

it('fails a part to upload for want of memory, and serves the next', async () => {
  const { memory } = world;
  refuses = true;
  const { signal } = new AbortController();
  const first = memory.acquire(MIB, signal);
  const second = memory.acquire(MIB, signal);
  await expect(first).rejects.toMatchObject({ kind: 'no-memory' });
  await expect(second).rejects.toMatchObject({ kind: 'no-memory' });
  refuses = false;
  await world.clock.advance(1000);
  memory.release(await memory.acquire(MIB, signal));
  expectAllBack(memory);
});
