import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import { remedyForRoom } from '../../content/disk/room.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { describeObstacles } from '../mount/cache-inquiries.ts';
import type { MountStatistics } from '../mount/mount-statistics.ts';

/** Nothing when none was asked for; why not, when one was and there is none. */
export function describeDiskCache({
  diskCache,
  warnings,
}: Pick<MountStatistics, 'diskCache' | 'warnings'>): readonly string[] {
  if (diskCache === null) return warnings.map((warning) => warning.replace(/^no disk cache: /, 'none: '));
  const { directory, cachedBytes, entries, entriesCounted, limitBytes } = diskCache;
  const { full, droppedBytes, obstacles, failures, damagedBlocks, passedThrough } = diskCache;
  return [
    [
      `${describeSize(cachedBytes)} of ${limitBytes === null ? 'what the disk has' : describeSize(limitBytes)}`,
      ...(entriesCounted ? [`${entries} files`] : []),
      describeHits(diskCache),
      ...(passedThrough > 0 ? [`${passedThrough} times the kernel read a file itself`] : []),
      ...(full ? [`full: nothing is added (${remedyFor(diskCache)})`] : []),
      ...(droppedBytes > 0 ? [`${describeSize(droppedBytes)} not added (no room, or a slow disk)`] : []),
      ...(obstacles === null ? [] : [describeObstacles(obstacles)]),
      ...(damagedBlocks > 0 ? [`${damagedBlocks} damaged blocks fetched again`] : []),
      ...(failures > 0 ? [`${failures} failures of the disk`] : []),
      directory,
    ].join('; '),
  ];
}

function remedyFor({ cachedBytes, limitBytes }: DiskCacheStatistics): string {
  return remedyForRoom(limitBytes !== null && cachedBytes >= limitBytes);
}

function describeHits({ hitBytes, missedBytes }: DiskCacheStatistics): string {
  const asked = hitBytes + missedBytes;
  if (asked === 0) return 'not asked yet';
  const percent = Math.floor((100 * hitBytes) / asked);
  return `${describeSize(hitBytes)} (${percent} %) of ${describeSize(asked)} came from it`;
}
