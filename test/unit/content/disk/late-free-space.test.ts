/** A disk that tells of removed files late, as btrfs does. */
import { statfs } from 'node:fs/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadBlockIo } from '../../../../src/content/disk/block-io.ts';
import type { DiskCache } from '../../../../src/content/disk/disk-cache.ts';
import { patterned } from '../fake-platform.ts';
import { DiskWorld, file } from './disk-world.ts';

vi.mock('node:fs/promises', async (original) => ({ ...(await original<object>()), statfs: vi.fn() }));

const MIB = 1024 * 1024;
const MIN_FREE = 100 * MIB;

function tell(freeBytes: number): void {
  const facts = { bavail: freeBytes, bsize: 1 } as Awaited<ReturnType<typeof statfs>>;
  vi.mocked(statfs).mockResolvedValue(facts as never);
}

let world: DiskWorld;
let cache: DiskCache;
let refuses: boolean;
beforeEach(async () => {
  tell(200 * MIB);
  refuses = false;
  world = new DiskWorld();
  const blocks = loadBlockIo();
  if (blocks === undefined) throw new Error('build the addon first');
  const write: typeof blocks.write = async (...args) => {
    if (refuses) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
    return blocks.write(...args);
  };
  cache = world.cache({ minFreeBytes: MIN_FREE }, undefined, { blocks: { ...blocks, write } });
  for (let id = 0; id < 16; id += 1) await cache.write(file(cache, `${id}`, MIB), 0, patterned(MIB));
});

const entries = async (): Promise<number> => (await cache.measure()).entries;

describe('a shortage', () => {
  it('evicts once, though the disk does not tell of it yet', async () => {
    tell(MIN_FREE - 3 * MIB);
    const left = await entries();
    expect(left).toBe(12);
    expect(cache.statistics.full).toBe(false);
    world.clock.movedMs += 11_000;
    expect(await entries()).toBe(left);
    tell(MIN_FREE + MIB);
    expect(await entries()).toBe(left);
  });

  it('that grows meanwhile evicts what is more', async () => {
    tell(MIN_FREE - 3 * MIB);
    expect(await entries()).toBe(12);
    tell(MIN_FREE - 6 * MIB);
    expect(await entries()).toBe(9);
  });

  it('evicts again when the disk has not told of it for half a minute', async () => {
    tell(MIN_FREE - 3 * MIB);
    expect(await entries()).toBe(12);
    world.clock.movedMs += 31_000;
    expect(await entries()).toBe(8);
  });

  it('ends no sooner than the disk tells of it where that refuses a write', async () => {
    refuses = true;
    tell(MIN_FREE - 3 * MIB);
    await expect(cache.write(file(cache, '15', MIB), 0, patterned(MIB))).rejects.toThrow('No space left');
    expect(await entries()).toBe(12);
    expect(cache.statistics.full).toBe(true);
  });
});

it('has room for what was evicted at once', async () => {
  tell(MIN_FREE);
  const { bytes } = await cache.measureRoom();
  await cache.evictAll();
  expect((await cache.measureRoom()).bytes).toBe(bytes);
});
