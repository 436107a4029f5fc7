import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { Mounted } from '../peers/mounted.ts';
import { BIG_FILES } from '../server/names.ts';
import { type Family, onMount, type Sample, type Stage } from '../stage.ts';

/** Each on a file of its own, so that none finds what another has fetched. */
const PATTERNS = [
  { name: 'random 4 KiB, 1 thread', blockBytes: 4096, threads: 1, file: BIG_FILES[0] },
  { name: 'random 4 KiB, 8 threads', blockBytes: 4096, threads: 8, file: BIG_FILES[1] },
  { name: 'random 128 KiB, 1 thread', blockBytes: 131_072, threads: 1, file: BIG_FILES[2] },
  { name: 'random 128 KiB, 8 threads', blockBytes: 131_072, threads: 8, file: BIG_FILES[3] },
] as const;

const p50 = (name: string): string => `${name}, p50`;
const p99 = (name: string): string => `${name}, p99`;

export const RANDOM_4_KIB_P50 = p50(PATTERNS[0].name);

export const randomRead: Family = {
  name: 'random-read',
  overTls: true,
  rows: PATTERNS.flatMap(({ name }) => [
    { name: p50(name), unit: 'ms' as const },
    { name: p99(name), unit: 'ms' as const },
  ]),
  contestants: (stage) =>
    stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () => onMount(peer, (mounted) => allPatterns(mounted, stage)),
    })),
};

async function allPatterns(mounted: Mounted, { sizes }: Stage): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample> = {};
  for (const { name, blockBytes, threads, file } of PATTERNS) {
    let slowest = 0;
    samples[p50(name)] = await measured(mounted, async () => {
      const result = await load('random', mounted.path(file), blockBytes, threads, sizes.randomReads);
      slowest = result.p99Ms;
      return { value: result.p50Ms };
    });
    samples[p99(name)] = { value: slowest };
  }
  return samples;
}
