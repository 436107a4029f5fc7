import { expect, it } from 'vitest';
import { describeDiskCache } from '../../../../src/cli/describe/describe-disk-cache.ts';
import type { SpaceLimits } from '../../../../src/content/disk/eviction-plan.ts';
import { DiskWorld, file } from '../../content/disk/disk-world.ts';

const MIB = 1024 * 1024;

/** The line of a cache with these limits when all of so many MiB was read that it was given. */
async function lineOf(limits: Partial<SpaceLimits>, sizeMib: number, waitingMib = 64): Promise<string> {
  const world = new DiskWorld();
  const cache = world.cache(limits, world.clock, { writeBehindBytes: waitingMib * MIB });
  await cache.measure();
  const version = file(cache, 'a', sizeMib * MIB);
  const bytes = Buffer.alloc(MIB, 'x');
  await Promise.all(Array.from({ length: sizeMib }, (_, at) => cache.keep(version, at * MIB, bytes)));
  return describeDiskCache({ diskCache: cache.statistics, warnings: [] }).join('\n');
}

it('a disk cache that keeps up says nothing of what it lacks', async () => {
  const line = await lineOf({}, 4);
  expect(line).toMatch(/^4(\.\d)? MiB of what the disk has; /);
  expect(line).not.toMatch(/not added|full/);
});

it('a disk cache tells how much its disk was too slow for', async () => {
  expect(await lineOf({}, 4, 3)).toMatch(/; 1 MiB not added \(no room, or a slow disk\); /);
});

it('a full disk cache says which of its limits is reached', async () => {
  expect(await lineOf({ minFreeBytes: Number.MAX_SAFE_INTEGER }, 4)).toMatch(
    /; full: nothing is added \(free space on its disk, or lower --cache-min-free\); 4 MiB not added \(/,
  );
  const statistics = {
    ...new DiskWorld().cache({ sizeBytes: MIB }).statistics,
    full: true,
    cachedBytes: MIB,
  };
  expect(describeDiskCache({ diskCache: statistics, warnings: [] })[0]).toMatch(
    /; full: nothing is added \(raise --cache-size\); /,
  );
});
