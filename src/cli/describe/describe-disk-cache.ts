import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import type { MountStatistics } from '../mount/mount-statistics.ts';
import { describeSize } from './describe-size.ts';

/** Nothing when none was asked for; why not, when one was and there is none. */
export function describeDiskCache({
  diskCache,
  warnings,
}: Pick<MountStatistics, 'diskCache' | 'warnings'>): readonly string[] {
  if (diskCache === null) return warnings.map((warning) => warning.replace(/^no disk cache: /, 'none: '));
  const { directory, cachedBytes, entries, limitBytes, full, failures, damagedBlocks, passedThrough } =
    diskCache;
  return [
    [
      `${describeSize(cachedBytes)} of ${limitBytes === null ? 'what the disk has' : describeSize(limitBytes)}`,
      `${entries} files`,
      describeHits(diskCache),
      ...(passedThrough > 0 ? [`${passedThrough} times the kernel read a file itself`] : []),
      ...(full ? ['full: nothing is added'] : []),
      ...(damagedBlocks > 0 ? [`${damagedBlocks} damaged blocks fetched again`] : []),
      ...(failures > 0 ? [`${failures} failures of the disk`] : []),
      directory,
    ].join('; '),
  ];
}

function describeHits({ hitBytes, missedBytes }: DiskCacheStatistics): string {
  const asked = hitBytes + missedBytes;
  if (asked === 0) return 'not asked yet';
  const percent = Math.floor((100 * hitBytes) / asked);
  return `${describeSize(hitBytes)} (${percent} %) of ${describeSize(asked)} came from it`;
}
