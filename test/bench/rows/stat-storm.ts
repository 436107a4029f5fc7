import { load, secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { MANY } from '../server/names.ts';
import { type Family, onMount } from '../stage.ts';

export const STAT_STORM = 'stat storm, 8 threads';
/** Long enough that starting threads is nothing beside them. */
const PASSES = 50;

/** After an `ls -l`, each of 8 threads looks at every entry over and over, in an order of its own. */
export const statStorm: Family = {
  name: 'stat-storm',
  trialsARun: 3,
  rows: [{ name: STAT_STORM, unit: 'ops/s' }],
  contestants: (stage) =>
    stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, async (mounted) => {
          await secondsOf('ls', ['-l', mounted.path(MANY)]);
          const storm = await measured(mounted, async () => {
            const { operations, seconds } = await load('stat', mounted.path(MANY), 8, PASSES);
            return { value: operations / seconds };
          });
          return { [STAT_STORM]: storm };
        }),
    })),
};
