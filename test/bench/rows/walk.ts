import { stat } from 'node:fs/promises';
import { secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { TREE } from '../server/names.ts';
import { type Family, onMount } from '../stage.ts';

export const WALKED = 'find over a tree of folders, cold';

/** `find -size` through folders in folders, three files in each. */
export const walk: Family = {
  name: 'walk',
  rows: [{ name: WALKED, unit: 's' }],
  contestants: (stage) =>
    stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, async (mounted) => {
          const path = mounted.path(TREE);
          await stat(path);
          const find = (): Promise<number> => secondsOf('find', [path, '-type', 'f', '-size', '+1k']);
          return { [WALKED]: await measured(mounted, async () => ({ value: await find() })) };
        }),
    })),
};
