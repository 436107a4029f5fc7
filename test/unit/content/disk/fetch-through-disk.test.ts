import { describe, expect, it } from 'vitest';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { ContentVersion } from '../../../../src/content/ports.ts';
import type { WarmProgress } from '../../../../src/content/read/cached-contents.ts';
import { type CachingReader, createContentReader } from '../../../../src/content/read/content-reader.ts';
import { NEVER } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { FakePlatform, patterned } from '../fake-platform.ts';
import { BLOCK, DiskWorld, file } from './disk-world.ts';

const MIB = 1024 * 1024;
const bytes = patterned(3 * MIB + 77);

/** A mount: its memory is empty, its disk cache may not be. */
function reader(
  platform: FakePlatform,
  world: DiskWorld,
): CachingReader & { readonly idle: () => Promise<void> } {
  const disk = world.cache();
  const memory = new MemoryPool(64 * MIB);
  const made = createContentReader({
    api: platform.api,
    storage: platform.storage,
    memory,
    disk,
    clock: world.clock,
  });
  return { ...made, idle: () => disk.close() };
}

async function read(
  from: CachingReader,
  version: ContentVersion,
  [start, end] = [0, version.sizeBytes],
): Promise<Buffer> {
  const handle = from.open(version);
  const pieces: Buffer[] = [];
  for (let at = start; at < end; at += 128 * 1024) {
    const { chunks, release } = await handle.read(at, Math.min(128 * 1024, end - at), { signal: NEVER });
    pieces.push(Buffer.concat(chunks));
    release?.();
  }
  handle.close();
  return Buffer.concat(pieces);
}

/** Progress of a filling, and the sums of what it told. */
function countedProgress(): {
  readonly told: { bytes: number; fetched: number };
  readonly progress: WarmProgress;
} {
  const told = { bytes: 0, fetched: 0 };
  const onBytes = (count: number): void => {
    told.bytes += count;
  };
  const onFetched = (count: number): void => {
    told.fetched += count;
  };
  return { told, progress: { onBytes, onFetched } };
}

it('what one mount read, the next has without a link or a range', async () => {
  const [platform, world] = [new FakePlatform(), new DiskWorld()];
  const version: ContentVersion = {
    kind: 'file',
    fileId: platform.addFile(bytes).id,
    sizeBytes: bytes.length,
  };
  const first = reader(platform, world);
  expect((await read(first, version)).equals(bytes)).toBe(true);
  await first.idle();
  const before = [platform.ranges.length, platform.calls.length];
  expect((await read(reader(platform, world), version)).equals(bytes)).toBe(true);
  expect([platform.ranges.length, platform.calls.length]).toEqual(before);
});

it('fetches what the disk lacks, and nothing else', async () => {
  const [platform, world] = [new FakePlatform(), new DiskWorld()];
  const version: ContentVersion = {
    kind: 'file',
    fileId: platform.addFile(bytes).id,
    sizeBytes: bytes.length,
  };
  const cache = world.cache();
  const cached = cache.versionOf(version, undefined);
  if (cached === undefined) throw new Error('cannot be cached');
  await cache.write(cached, 0, bytes.subarray(0, MIB));
  await cache.write(cached, 2 * MIB, bytes.subarray(2 * MIB));
  expect((await read(reader(platform, world), version)).equals(bytes)).toBe(true);
  const fetched = platform.ranges.map(({ offset, length }) => [offset, offset + length]);
  for (const [start = 0, end = 0] of fetched) {
    expect(start).toBeGreaterThanOrEqual(MIB);
    expect(end).toBeLessThanOrEqual(2 * MIB);
  }
});

it('fills a version on request, tells how far it is, and fetches nothing twice', async () => {
  const [platform, world] = [new FakePlatform(), new DiskWorld()];
  const version: ContentVersion = {
    kind: 'file',
    fileId: platform.addFile(bytes).id,
    sizeBytes: bytes.length,
  };
  const { cached } = reader(platform, world);
  if (cached === undefined) throw new Error('no cache');
  const { told, progress } = countedProgress();
  await cached.fill(version, progress, NEVER);
  expect(told).toEqual({ bytes: bytes.length, fetched: bytes.length });
  expect(await cached.count(version, NEVER)).toMatchObject({ cachedBytes: bytes.length });
  const filled = await cached.fill(version, progress, NEVER);
  expect(told).toEqual({ bytes: 2 * bytes.length, fetched: bytes.length });
  expect(filled).toEqual(await cached.find(version, NEVER));
  await cached.disk.evict(filled === undefined ? [] : [filled]);
  expect(await cached.count(version, NEVER)).toMatchObject({ cachedBytes: 0 });
});

describe('filling a version that another mount evicts meanwhile', () => {
  const large = patterned(8 * MIB);

  /** Fills it while someone else evicts it, so many times, when the first of its two ranges is there. */
  async function fillAgainst(
    evictions: number,
  ): Promise<{ readonly bytes: number; readonly fetched: number }> {
    const [platform, world] = [new FakePlatform(), new DiskWorld()];
    const fileId = platform.addFile(large).id;
    const version: ContentVersion = { kind: 'file', fileId, sizeBytes: large.length };
    const other = world.cache();
    const ofOther = file(other, fileId, large.length);
    let ranges = 0;
    platform.on = async (call) => {
      if (!call.startsWith('getRange')) return;
      ranges += 1;
      if (ranges % 2 === 1 || ranges > 2 * evictions) return;
      await waitUntil(async () => (await other.countBytes(ofOther)) > 0);
      await other.evict([ofOther]);
    };
    const { told, progress } = countedProgress();
    const { cached } = reader(platform, world);
    await cached?.fill(version, progress, NEVER);
    expect(await other.countBytes(ofOther)).toBe(large.length);
    return told;
  }

  it('goes over it once more', async () => {
    expect(await fillAgainst(1)).toEqual({ bytes: large.length, fetched: 2 * large.length });
  });

  it('gives up when it happens again', async () => {
    await expect(fillAgainst(2)).rejects.toMatchObject({
      kind: 'no-space',
      message: expect.stringMatching(/too small for it: free space on its disk, or lower --cache-min-free$/),
    });
  });
});

it('memory that is being written is not used again before it is', async () => {
  const [platform, world] = [new FakePlatform(), new DiskWorld()];
  const sizes = Array.from({ length: 12 }, (_, index) => MIB + index * BLOCK);
  const versions = sizes.map((sizeBytes, index) => ({
    kind: 'file' as const,
    fileId: platform.addFile(patterned(sizeBytes, index)).id,
    sizeBytes,
  }));
  const disk = world.cache();
  // So little memory that every file needs that of the one before.
  const memory = new MemoryPool(2 * MIB);
  const tight = createContentReader({
    api: platform.api,
    storage: platform.storage,
    memory,
    disk,
    clock: world.clock,
  });
  for (const version of versions) await read(tight, version);
  await waitUntil(() => disk.statistics.writtenBytes + disk.statistics.droppedBytes > 0);
  await disk.close();
  const later = world.cache();
  for (const [index, version] of versions.entries()) {
    const cached = later.versionOf(version, undefined);
    if (cached === undefined) throw new Error('cannot be cached');
    const found = Buffer.alloc(version.sizeBytes);
    const expected = patterned(version.sizeBytes, index);
    for (const { start, end } of await later.read(cached, 0, found)) {
      found.fill(0, start, end);
      expected.fill(0, start, end);
    }
    expect(found.equals(expected)).toBe(true);
  }
});
