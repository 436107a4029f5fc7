import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { measured } from '../measure/measured.ts';
import { MANY } from '../server/names.ts';
import { type Family, onMount } from '../stage.ts';

export const COLD_LOOKUP = 'stat of one name, folder known';
const NAME = join(MANY, 'e00500');

/** A lookup of one name needs one request, however many names are beside it. */
export const coldLookup: Family = {
  name: 'cold-lookup',
  rows: [{ name: COLD_LOOKUP, unit: 'ms' }],
  contestants: (stage) =>
    stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, async (mounted) => {
          await stat(mounted.path(MANY));
          const lookup = await measured(mounted, async () => {
            const start = performance.now();
            await stat(mounted.path(NAME));
            return { value: performance.now() - start };
          });
          return { [COLD_LOOKUP]: lookup };
        }),
    })),
};
