import { open } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { loadBlockIo } from '../../../../src/content/disk/block-io.ts';
import { BLOCK, DiskWorld } from '../../content/disk/disk-world.ts';
import { CacheWorld } from './cache-world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Two blocks of the only file in the cache never reached the disk before the power failed. */
async function tear(disk: DiskWorld): Promise<void> {
  const data = await open(await disk.file('data'), 'r+');
  await data.write(Buffer.alloc(2 * BLOCK), 0, 2 * BLOCK, 64 * BLOCK);
  await data.close();
}

describe('a warm-up of what was cached before the machine was started', () => {
  it('fetches what a power failure has damaged', async () => {
    const disk = new DiskWorld();
    const before = new CacheWorld({}, { bootId: 'first' }, disk);
    before.add(5 * MIB);
    await before.warmUp();
    await tear(disk);
    const after = new CacheWorld({}, { bootId: 'second' }, disk);
    after.add(5 * MIB);
    const { progress, failures } = await after.warmUp();
    expect(failures).toEqual([]);
    expect(progress).toMatchObject({ doneFiles: 1, doneBytes: 5 * MIB, fetchedBytes: 2 * BLOCK });
  });

  it('reads it once in a run of the machine', async () => {
    const disk = new DiskWorld();
    const blocks = loadBlockIo();
    if (blocks === undefined) throw new Error('build the addon first');
    const read = vi.fn(blocks.read);
    const reads: number[] = [];
    for (const bootId of ['first', 'first', 'second', 'second']) {
      const world = new CacheWorld({}, { bootId, blocks: { ...blocks, read } }, disk);
      world.add(5 * MIB);
      const { progress } = await world.warmUp();
      expect(progress).toMatchObject({ doneFiles: 1, doneBytes: 5 * MIB });
      reads.push(read.mock.calls.length);
      read.mockClear();
    }
    expect(reads.slice(1)).toEqual([0, 2, 0]);
  });
});

describe('a warm-up', () => {
  it('fetches the object that is behind an alias now', async () => {
    const world = new CacheWorld();
    world.addAlias(5000, 7000);
    const { progress, failures } = await world.warmUp();
    expect(failures).toEqual([]);
    expect(progress).toMatchObject({ foundBytes: 7000, doneFiles: 1, doneBytes: 7000 });
    expect(await world.count()).toBe(1);
  });

  it.each([
    ['was empty when it was imported', 0, 7000],
    ['is empty by now', 7000, 0],
  ])('caches the object behind an alias that %s', async (_, toldBytes, nowBytes) => {
    const world = new CacheWorld();
    world.addAlias(toldBytes, nowBytes);
    const { progress, failures } = await world.warmUp();
    expect(failures).toEqual([]);
    expect(progress).toMatchObject({ foundBytes: nowBytes, doneFiles: 1, doneBytes: nowBytes });
  });

  it('has nothing to fetch of an empty file', async () => {
    const world = new CacheWorld();
    world.add(0, 100);
    const { progress, failures } = await world.warmUp();
    expect(failures).toEqual([]);
    expect(progress).toMatchObject({ foundFiles: 2, doneFiles: 2, doneBytes: 100 });
  });

  it('tells of what was evicted again before it ended', async () => {
    const world = new CacheWorld();
    world.add(...Array(40).fill(8000));
    const { progress, failures, failed } = await world.warmUp(() => world.cached.disk.evictAll());
    const there = await world.count();
    expect(failed).toBeGreaterThan(20);
    expect(failures[0]?.reason).toMatch(
      /^evicted again: the disk cache holds \d.*; free space on its disk, or lower --cache-min-free, or warm up less/,
    );
    expect(progress).toMatchObject({ doneFiles: there, doneBytes: there * 8000 });
    expect(failed + there).toBe(40);
  });

  it('takes no more files than the limit has room for, index and rounding included', async () => {
    const world = new CacheWorld({ sizeBytes: 256 * KIB });
    world.add(...Array(32).fill(8000));
    const { progress, failures, failed } = await world.warmUp();
    expect({ doneFiles: progress.doneFiles, failed }).toEqual({ doneFiles: 16, failed: 16 });
    expect(failures[0]?.reason).toMatch(/room for 256 KiB; raise --cache-size$/);
    expect(await world.count()).toBe(16);
  });

  it('takes no more than the disk has, less what is to be left free', async () => {
    const world = new CacheWorld({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    world.add(8000);
    const { failures } = await world.warmUp();
    expect(failures[0]?.reason).toMatch(/room for 0 B; free space on its disk, or lower --cache-min-free$/);
    expect(await world.count()).toBe(0);
  });

  it('leaves out a file that is too large, and takes the others', async () => {
    const world = new CacheWorld({ sizeBytes: MIB });
    world.add(2 * MIB, 8000, 8000);
    const { progress, failures } = await world.warmUp();
    expect(failures.map(({ path }) => path)).toEqual(['/0']);
    expect(progress).toMatchObject({ doneFiles: 2, doneBytes: 16_000, fetchedBytes: 16_000 });
  });

  it('has room for others in place of one that failed', async () => {
    const world = new CacheWorld({ sizeBytes: MIB });
    world.addAlias(800 * KIB, undefined);
    world.add(...Array(7).fill(8), 800 * KIB);
    const { progress, failures } = await world.warmUp();
    expect(failures.map(({ path }) => path)).toEqual(['/0']);
    expect(progress).toMatchObject({ doneFiles: 8, doneBytes: 7 * 8 + 800 * KIB });
  });

  it('says that the disk is full, and counts no byte of a file that failed', async () => {
    let writes = 0;
    const full = Object.assign(new Error('pwrite: No space left on device'), { code: 'ENOSPC' });
    const write = async (): Promise<0> => {
      if (++writes > 1) throw full;
      return 0;
    };
    const blocks = loadBlockIo();
    if (blocks === undefined) throw new Error('build the addon first');
    const world = new CacheWorld({}, { blocks: { ...blocks, write } });
    world.add(8 * MIB);
    const { progress, failures } = await world.warmUp();
    expect(failures[0]?.reason).toMatch(/the disk of the cache is full; free space in /);
    expect(progress).toMatchObject({ doneFiles: 0, doneBytes: 0 });
  });
});
