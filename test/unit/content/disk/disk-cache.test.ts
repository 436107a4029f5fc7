import { open, readdir, readlink, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadBlockIo } from '../../../../src/content/disk/block-io.ts';
import { mustRun } from '../../../support/run.ts';
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

describe('the disk cache', () => {
  it('gives back what it was given, and says what is missing', async () => {
    const cache = new DiskWorld().cache();
    const version = file(cache, 'a', SIZE);
    await cache.write(version, 20 * BLOCK, bytes.subarray(20 * BLOCK));
    await cache.keep(version, 0, bytes.subarray(0, BLOCK));
    const { missing, bytes: read } = await readBlocks(cache, version);
    expect(missing).toEqual([[BLOCK, 20 * BLOCK]]);
    expect(read.subarray(20 * BLOCK).equals(bytes.subarray(20 * BLOCK))).toBe(true);
    expect(read.subarray(0, BLOCK).equals(bytes.subarray(0, BLOCK))).toBe(true);
    expect(await cache.countBytes(version)).toBe(SIZE - 19 * BLOCK);
  });

  it('keeps whole blocks only, and answers for nothing else', async () => {
    const cache = new DiskWorld().cache();
    const version = file(cache, 'a', SIZE);
    await cache.write(version, 100, bytes.subarray(100, 3 * BLOCK + 50));
    expect(await cache.countBytes(version)).toBe(2 * BLOCK);
    expect((await readBlocks(cache, version, [BLOCK, 3 * BLOCK])).missing).toEqual([]);
    expect((await readBlocks(cache, version, [BLOCK + 1, 3 * BLOCK])).missing).toHaveLength(1);
    expect((await readBlocks(cache, version, [BLOCK, 3 * BLOCK - 1])).missing).toHaveLength(1);
  });

  it('keeps no descriptor of an entry that it cannot use', async () => {
    const world = new DiskWorld();
    const first = world.cache();
    const version = file(first, 'a', SIZE);
    await first.write(version, 0, bytes);
    await first.close();
    const data = await world.file('data');
    await rm(data);
    // It has no size that could be set right.
    await mustRun('mkfifo', [data]);
    const cache = world.cache();
    const { missing } = await readBlocks(cache, version);
    expect(missing).toEqual([[0, SIZE]]);
    expect(await openFilesIn(world.directory)).not.toContain(data);
  });

  it('gives nothing up for a file that is too large for its file system', async () => {
    const blocks = loadBlockIo();
    if (blocks === undefined) throw new Error('build the addon first');
    let isTooLarge = false;
    const { read, count } = blocks;
    const write: typeof blocks.write = (...given) =>
      isTooLarge
        ? Promise.reject(Object.assign(new Error('EFBIG'), { code: 'EFBIG' }))
        : blocks.write(...given);
    const cache = new DiskWorld().cache({}, undefined, { blocks: { read, count, write } });
    const kept = ['a', 'b', 'c'].map((id) => file(cache, id, SIZE));
    for (const version of kept) await cache.write(version, 0, bytes);
    isTooLarge = true;
    for (let n = 0; n < 5; n += 1) {
      await expect(cache.write(file(cache, 'large', SIZE), 0, bytes)).rejects.toMatchObject({
        code: 'EFBIG',
      });
      await cache.measure();
    }
    for (const version of kept) expect((await readBlocks(cache, version)).missing).toEqual([]);
  });

  it('knows versions apart, by service, id, size and ETag', async () => {
    const cache = new DiskWorld().cache();
    await cache.write(file(cache, 'a', SIZE), 0, bytes);
    for (const other of [file(cache, 'b', SIZE), file(cache, 'a', SIZE + 1)]) {
      expect((await readBlocks(cache, other)).missing).toHaveLength(1);
    }
    const object = { kind: 'object', volume: 'v', location: 'l', etag: undefined, sizeBytes: 5 } as const;
    const names = ['1', '2'].map((etag) => cache.versionOf(object, etag)?.name);
    expect(new Set(names).size).toBe(2);
    expect(cache.versionOf(object, undefined)).toBeUndefined();
    expect(cache.versionOf({ kind: 'file', fileId: 'empty', sizeBytes: 0 }, undefined)).toBeUndefined();
  });

  it('is there in the next mount, and in others at the same time', async () => {
    const world = new DiskWorld();
    const [first, second] = [world.cache(), world.cache()];
    const version = file(first, 'a', SIZE);
    expect((await readBlocks(second, version)).missing).toHaveLength(1);
    await first.write(version, 0, bytes);
    expect((await readBlocks(second, version)).bytes.equals(bytes)).toBe(true);
    await first.close();
    expect((await readBlocks(world.cache(), version)).missing).toEqual([]);
  });

  it('makes one entry, whoever makes it at once', async () => {
    const world = new DiskWorld();
    const caches = Array.from({ length: 8 }, () => world.cache());
    await Promise.all(
      caches.map((cache, index) => {
        const span = [index * 5 * BLOCK, Math.min((index + 1) * 5 * BLOCK, SIZE)] as const;
        return cache.write(file(cache, 'a', SIZE), span[0], bytes.subarray(...span));
      }),
    );
    const rest = world.cache();
    await rest.write(file(rest, 'a', SIZE), 40 * BLOCK, bytes.subarray(40 * BLOCK));
    expect((await readBlocks(rest, file(rest, 'a', SIZE))).bytes.equals(bytes)).toBe(true);
    expect(await world.files()).toHaveLength(2);
  });
});

describe('bytes that a disk, a crash or someone else spoiled', () => {
  /** Reads after `spoil` find right bytes or none, and right bytes again once they were fetched again. */
  async function survives(spoil: (world: DiskWorld) => Promise<void>): Promise<number> {
    const world = new DiskWorld();
    const before = world.cache();
    const version = file(before, 'a', SIZE);
    await before.write(version, 0, bytes);
    await before.close();
    await spoil(world);
    const cache = world.cache();
    const { missing, bytes: read } = await readBlocks(cache, version);
    const expected = Buffer.from(bytes);
    for (const range of missing) expected.fill(0, ...range);
    expect(read.equals(expected)).toBe(true);
    for (const range of missing) await cache.write(version, range[0], bytes.subarray(...range));
    const again = await readBlocks(cache, version);
    expect(again.missing).toEqual([]);
    expect(again.bytes.equals(bytes)).toBe(true);
    return missing.reduce((sum, [start, end]) => sum + end - start, 0);
  }

  async function change(path: string, offset: number, what: Buffer): Promise<void> {
    const handle = await open(path, 'r+');
    await handle.write(what, 0, what.length, offset);
    await handle.close();
  }

  it('a flipped bit costs a block', async () => {
    const flipped = Buffer.from([(bytes[7 * BLOCK + 5] ?? 0) ^ 1]);
    expect(await survives(async (world) => change(await world.file('data'), 7 * BLOCK + 5, flipped))).toBe(
      BLOCK,
    );
  });

  it('a checksum that was changed costs a block', async () => {
    const word = Buffer.from('00ff00ff00ff00ff', 'hex');
    expect(await survives(async (world) => change(await world.file('index'), 4096 + 8 * 3, word))).toBe(
      BLOCK,
    );
  });

  it('blocks whose bytes never reached the disk are missing', async () => {
    const hole = Buffer.alloc(4 * BLOCK);
    expect(await survives(async (world) => change(await world.file('data'), 10 * BLOCK, hole))).toBe(
      4 * BLOCK,
    );
  });

  it('two blocks that changed places are missing', async () => {
    const swapped = Buffer.concat([bytes.subarray(BLOCK, 2 * BLOCK), bytes.subarray(0, BLOCK)]);
    expect(
      await survives(async (world) => {
        await change(await world.file('data'), 0, swapped);
      }),
    ).toBe(2 * BLOCK);
  });

  it('blocks that were cut off are missing', async () => {
    expect(await survives(async (world) => truncate(await world.file('data'), 30 * BLOCK + 7))).toBe(
      SIZE - 30 * BLOCK,
    );
  });

  it('blocks that were cut off are not counted either', async () => {
    const world = new DiskWorld();
    const version = file(world.cache(), 'a', SIZE);
    const cache = world.cache();
    await cache.write(version, 0, bytes);
    await truncate(await world.file('data'), 30 * BLOCK + 7);
    const next = world.cache();
    expect(await next.countBytes(file(next, 'a', SIZE))).toBe(30 * BLOCK);
  });

  it('what the index lacks is missing', async () => {
    const lost = await survives(async (world) => truncate(await world.file('index'), 4096 + 8 * 35));
    expect(lost).toBe(SIZE - 35 * BLOCK);
  });

  it.each([
    ['an index that is cut to nothing', async (world: DiskWorld) => truncate(await world.file('index'), 0)],
    [
      'an index of garbage',
      async (world: DiskWorld) => writeFile(await world.file('index'), patterned(8192)),
    ],
    ['blocks that are gone', async (world: DiskWorld) => rm(await world.file('data'))],
    ['an index that is gone', async (world: DiskWorld) => rm(await world.file('index'))],
  ])('%s: everything is missing', async (_, spoil) => {
    expect(await survives(spoil)).toBe(SIZE);
  });

  it('are counted', async () => {
    const world = new DiskWorld();
    const cache = world.cache();
    const version = file(cache, 'a', SIZE);
    await cache.write(version, 0, bytes);
    await change(await world.file('data'), 0, Buffer.from('spoiled'));
    await readBlocks(cache, version);
    expect(cache.statistics).toMatchObject({ damagedBlocks: 1, missedBytes: BLOCK, hitBytes: SIZE - BLOCK });
    expect(await cache.countBytes(version)).toBe(SIZE - BLOCK);
  });
});

it('says whether its count of entries is still true', async () => {
  const cache = new DiskWorld().cache();
  expect(cache.statistics.entriesCounted).toBe(false);
  expect(await cache.measure()).toMatchObject({ entries: 0, entriesCounted: true });
  await cache.write(file(cache, 'a', SIZE), 0, bytes);
  expect(cache.statistics.entriesCounted).toBe(false);
  expect(await cache.measure()).toMatchObject({ entries: 1, entriesCounted: true });
});

it('removes what a process left behind that ended while it made an entry, once it is old', async () => {
  const world = new DiskWorld();
  const cache = world.cache();
  await cache.write(file(cache, 'a', SIZE), 0, bytes);
  const index = await world.file('index');
  const data = await world.file('data');
  const birth = '0123456789abcdef';
  const left = [`.${birth}.data`, `.${birth}.new`].map((end) => index.replace(/\.index$/, end));
  const alone = join(index, '..', `${'ab'.repeat(32)}.${birth}.data`);
  for (const path of [...left, alone]) await writeFile(path, 'left');
  await cache.measure();
  expect(await world.files()).toHaveLength(5);
  for (const path of [...left, alone]) await utimes(path, 1, 1);
  await cache.measure();
  expect([...(await world.files())].sort()).toEqual([data, index].sort());
  expect((await readBlocks(cache, file(cache, 'a', SIZE))).missing).toEqual([]);
});

it('writes behind a reader, and drops what the disk cannot keep up with', async () => {
  const cache = new DiskWorld().cache();
  const version = file(cache, 'a', 64 * MIB);
  const content = patterned(4 * MIB);
  const taken = Array.from({ length: 16 }, (_, index) => cache.keep(version, index * 4 * MIB, content));
  expect(taken.filter((write) => write !== undefined)).toHaveLength(4);
  await Promise.all(taken);
  expect(cache.statistics).toMatchObject({ writtenBytes: 16 * MIB, droppedBytes: 48 * MIB });
  expect(await cache.countBytes(version)).toBe(16 * MIB);
});

it('takes as much of the disk as is cached, however large the file is', async () => {
  const world = new DiskWorld();
  const cache = world.cache();
  const version = file(cache, 'a', 1024 ** 4);
  await cache.write(version, 1024 ** 4 - BLOCK, patterned(BLOCK));
  const { size, blocks } = await stat(await world.file('data'));
  expect(size).toBe(1024 ** 4);
  expect(blocks * 512).toBeLessThan(MIB);
  const end = await readBlocks(cache, version, [1024 ** 4 - BLOCK, 1024 ** 4]);
  expect(end.bytes.equals(patterned(BLOCK))).toBe(true);
  await waitUntil(async () => (await cache.measure()).cachedBytes < MIB);
});
