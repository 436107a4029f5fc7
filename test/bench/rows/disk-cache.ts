import { join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import { NEAR } from '../line.ts';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { temporaryDirectory } from '../measure/temporary-directory.ts';
import { mountStatistics } from '../peers/mount-statistics.ts';
import type { Mounted } from '../peers/mounted.ts';
import { svcfs } from '../peers/svcfs.ts';
import { BIG_FILES } from '../server/names.ts';
import { type Contestant, type Family, mibPerSecond, onMount, type Sample, type Stage } from '../stage.ts';

const SEQUENTIAL = 'sequential read, from the disk cache';
const RANDOM = 'random 4 KiB, from the disk cache, p50';
const [FILE] = BIG_FILES;

/** A file that an earlier mount has left in the disk cache: read by the mount, and by the kernel itself (passthrough). */
export const diskCache: Family = {
  name: 'disk-cache',
  lines: [NEAR],
  rows: [
    { name: SEQUENTIAL, unit: 'MiB/s' },
    { name: RANDOM, unit: 'ms' },
  ],
  contestants: (stage) => [reads(stage, 'svcfs'), reads(stage, 'svcfs (passthrough)', '--read-only')],
};

function reads(stage: Stage, name: string, ...args: readonly string[]): Contestant {
  return {
    peer: name,
    trial: async () => {
      const kept = await temporaryDirectory(stage.directory, 'disk-cache-');
      try {
        return await readKept(stage, ['--cache-dir', join(kept.path, 'cache'), ...args]);
      } finally {
        await kept.remove();
      }
    },
  };
}

async function readKept(stage: Stage, args: readonly string[]): Promise<Record<string, Sample>> {
  const { server, directory, sizes } = stage;
  const peer = svcfs({ directory, server, door: 'platform', args });
  await onMount(peer, (mounted) => load('read', mounted.path(FILE)));
  const onFresh = (work: (mounted: Mounted) => Promise<Sample>): Promise<Sample> =>
    onMount(peer, async (mounted) => {
      if (args.includes('--read-only')) await untilPassedThrough(mounted);
      return work(mounted);
    });
  return {
    [SEQUENTIAL]: await onFresh((mounted) =>
      measured(mounted, async () => {
        const { bytes, seconds } = await load('read', mounted.path(FILE));
        return { value: mibPerSecond(bytes, seconds), movedBytes: bytes };
      }),
    ),
    [RANDOM]: await onFresh((mounted) =>
      measured(mounted, async () => ({
        value: (await load('random', mounted.path(FILE), 4096, 1, sizes.randomReads)).p50Ms,
      })),
    ),
  };
}

/** The first open has the file checked, and the one that finds it checked gives it to the kernel. */
async function untilPassedThrough(mounted: Mounted): Promise<void> {
  await waitUntil(async () => {
    await load('read', mounted.path(FILE));
    const { diskCache } = await mountStatistics(mounted);
    return diskCache !== null && diskCache.passedThrough > 0;
  });
}
