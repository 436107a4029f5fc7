import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadBlockIo } from '../../../../src/content/disk/block-io.ts';
import type { DiskCache } from '../../../../src/content/disk/disk-cache.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { patterned } from '../fake-platform.ts';
import { BLOCK, DiskWorld, file, readBlocks } from './disk-world.ts';

const MIB = 1024 * 1024;

/** The last block is short. */
const SIZE = 40 * BLOCK + 123;

const bytes = patterned(SIZE);

/** Of this process. */
async function openFilesIn(directory: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => ''));
  return (await Promise.all(paths)).filter((path) => path.startsWith(directory));
}

describe('eviction', () => {
  it('of what was used longest ago keeps the cache within its size', async () => {
    const world = new DiskWorld();
    const cache = world.cache({ sizeBytes: 16 * MIB });
    const versions = Array.from({ length: 5 }, (_, index) => file(cache, `${index}`, 4 * MIB));
    const content = patterned(4 * MIB);
    for (const version of versions.slice(0, 3)) {
      await cache.write(version, 0, content);
      world.clock.movedMs += 120_000;
      await readBlocks(cache, version, [0, BLOCK]);
    }
    world.clock.movedMs += 120_000;
    const [first, second] = versions;
    if (first === undefined || second === undefined) throw new Error('none');
    await readBlocks(cache, first);
    for (const version of versions.slice(3)) {
      await cache.write(version, 0, content);
      world.clock.movedMs += 120_000;
      await readBlocks(cache, version, [0, BLOCK]);
      await cache.measure();
    }
    expect(await cache.countBytes(first)).toBe(4 * MIB);
    expect(await cache.countBytes(second)).toBe(0);
    expect((await cache.measure()).cachedBytes).toBeLessThanOrEqual(16 * MIB);
    expect(cache.statistics.evictedBytes).toBeGreaterThan(0);
  });

  it('by one leaves what another reads, and the other makes the entry anew', async () => {
    const world = new DiskWorld();
    const [one, other] = [world.cache(), world.cache()];
    const version = file(one, 'a', SIZE);
    await one.write(version, 0, bytes);
    expect((await readBlocks(other, version)).missing).toEqual([]);
    expect((await one.evict([version])).freedBytes).toBeGreaterThan(SIZE);
    expect(await world.files()).toEqual([]);
    expect((await readBlocks(one, version)).missing).toHaveLength(1);
    // Its descriptors are still good; from then on it knows.
    expect((await readBlocks(other, version)).bytes.equals(bytes)).toBe(true);
    expect((await readBlocks(other, version)).missing).toHaveLength(1);
    await other.write(version, 0, bytes);
    expect((await readBlocks(one, version)).missing).toEqual([]);
  });

  it('by one leaves nothing to count for another that has it open', async () => {
    const world = new DiskWorld();
    const [one, other] = [world.cache(), world.cache()];
    const version = file(one, 'a', SIZE);
    await one.write(version, 0, bytes);
    expect(await other.countBytes(version)).toBe(SIZE);
    await one.evict([version]);
    expect(await other.countBytes(version)).toBe(0);
    await other.write(version, 0, bytes);
    expect(await one.countBytes(version)).toBe(SIZE);
  });

  it('by one gives the room back, though another that had it open does nothing any more', async () => {
    const world = new DiskWorld();
    const clock = new FakeClock(Date.now());
    const [one, other] = [world.cache(), world.cache({}, clock)];
    const version = file(one, 'a', SIZE);
    await one.write(version, 0, bytes);
    await readBlocks(other, version);
    await one.evict([version]);
    expect(await openFilesIn(world.directory)).toHaveLength(2);
    await waitUntil(async () => {
      await clock.advance(31_000);
      return (await openFilesIn(world.directory)).length === 0;
    });
  });

  it('of everything leaves nothing, and the cache goes on', async () => {
    const world = new DiskWorld();
    const cache = world.cache();
    for (const id of ['a', 'b', 'c']) await cache.write(file(cache, id, SIZE), 0, bytes);
    expect((await cache.evictAll()).freedBytes).toBeGreaterThan(3 * SIZE);
    expect(await world.files()).toEqual([]);
    await cache.write(file(cache, 'a', SIZE), 0, bytes);
    expect(await cache.measure()).toMatchObject({ entries: 1 });
  });

  it('cannot make room on a disk that is full of other things: nothing is written, until there is room', async () => {
    const world = new DiskWorld();
    const cache = world.cache({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    const version = file(cache, 'a', SIZE);
    await cache.measure();
    expect(cache.statistics.full).toBe(true);
    expect(cache.keep(version, 0, bytes)).toBeUndefined();
    expect(cache.statistics.droppedBytes).toBe(SIZE);
    expect(await world.files()).toEqual([]);
  });

  it('takes a disk that gets full for no failure of it, and counts what was not written', async () => {
    const blocks = loadBlockIo();
    if (blocks === undefined) throw new Error('build the addon first');
    const { read, count } = blocks;
    const write: typeof blocks.write = () =>
      Promise.reject(Object.assign(new Error('No space left on device'), { code: 'ENOSPC' }));
    const cache = new DiskWorld().cache({}, undefined, { blocks: { read, count, write } });
    await expect(cache.write(file(cache, 'a', SIZE), 0, bytes)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(cache.statistics).toMatchObject({ full: true, failures: 0, droppedBytes: SIZE });
  });

  it('looks again when it was full for a while', async () => {
    const world = new DiskWorld();
    const limits = { sizeBytes: Number.POSITIVE_INFINITY, minFreeBytes: Number.MAX_SAFE_INTEGER };
    const cache = world.cache(limits);
    await cache.measure();
    expect(cache.statistics.full).toBe(true);
    world.clock.movedMs += 60_000;
    expect(cache.keep(file(cache, 'a', SIZE), 0, bytes)).toBeUndefined();
    await cache.measure();
    expect(cache.statistics.full).toBe(true);
  });
});

describe('what cannot be read or removed, as another user may have left it,', () => {
  /** Of two entries the first has a folder in place of its index; a file is where a folder is to be. */
  async function obstructed(): Promise<{ readonly world: DiskWorld; readonly cache: DiskCache }> {
    const world = new DiskWorld();
    const cache = world.cache();
    for (const id of ['a', 'b']) await cache.write(file(cache, id, SIZE), 0, bytes);
    const [index = ''] = await world.files('index');
    await rm(index);
    await mkdir(index);
    await writeFile(join(world.directory, 'entries', 'not-a-folder'), '');
    return { world, cache };
  }

  it('is passed over and told, and is not taken for a full disk', async () => {
    const { cache } = await obstructed();
    expect(await cache.measure()).toMatchObject({
      entries: 2,
      full: false,
      obstacles: { count: 1, reason: expect.stringMatching(/^ENOTDIR: .*not-a-folder/) },
    });
    expect(cache.keep(file(cache, 'c', SIZE), 0, bytes)).toBeDefined();
  });

  it('does not keep others from being evicted', async () => {
    const { world, cache } = await obstructed();
    const { freedBytes, obstacles } = await cache.evictAll();
    expect(freedBytes).toBeGreaterThan(SIZE);
    expect(obstacles).toMatchObject({ count: 2 });
    expect(await world.files('data')).toHaveLength(1);
  });

  it('goes to the log when it is found, once', async () => {
    const world = new DiskWorld();
    await mkdir(join(world.directory, 'entries'));
    await writeFile(join(world.directory, 'entries', 'not-a-folder'), '');
    const told: string[] = [];
    const cache = world.cache({}, world.clock, { onObstacle: ({ reason }) => told.push(reason) });
    await cache.measure();
    await cache.measure();
    expect(told).toEqual([expect.stringMatching(/not-a-folder/)]);
  });

  it('of the whole directory is no full disk either', async () => {
    const world = new DiskWorld();
    const cache = world.cache();
    await rm(world.directory, { recursive: true });
    cache.start();
    await waitUntil(async () => cache.statistics.obstacles !== null);
    expect(cache.statistics).toMatchObject({
      full: false,
      obstacles: { reason: expect.stringMatching(/^ENOENT/) },
    });
    await mkdir(world.directory);
  });
});
