import { stat } from 'node:fs/promises';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { Mounted } from '../peers/mounted.ts';
import { BIG_FILES } from '../server/data-set.ts';
import { type Family, onMount, type Sample } from '../stage.ts';

export const FROM_COLD = 'first byte, nothing known';
export const NAME_KNOWN = 'first byte, name known';

export const firstByte: Family = {
  name: 'first-byte',
  rows: [
    { name: FROM_COLD, unit: 'ms' },
    { name: NAME_KNOWN, unit: 'ms' },
  ],
  contestants: (stage) =>
    stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, stage, async (mounted) => {
          const cold = await readFirst(mounted, BIG_FILES[0]);
          await stat(mounted.path(BIG_FILES[1]));
          return { [FROM_COLD]: cold, [NAME_KNOWN]: await readFirst(mounted, BIG_FILES[1]) };
        }),
    })),
};

function readFirst(mounted: Mounted, name: string): Promise<Sample> {
  return measured(mounted, async () => ({ value: (await load('first-byte', mounted.path(name))).p50Ms }));
}
