import { load, secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { svcfs, WITH_FACTS } from '../peers/svcfs.ts';
import { THOUSAND } from '../server/names.ts';
import { type Family, onMount } from '../stage.ts';

export const LISTED_FILES_READ = 'files of 4 KiB of a listed folder read, 8 threads';

/** As many programs do it: list a folder, then read all that is in it. Apart: with the capability of our service. */
export const listedFiles: Family = {
  name: 'listed-files',
  rows: [{ name: LISTED_FILES_READ, unit: 'ops/s' }],
  contestants: (stage) => {
    const { server, directory, mounts } = stage;
    const peers = [...mounts, svcfs({ name: WITH_FACTS, directory, server, door: 'extended' })];
    return peers.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, async (mounted) => {
          const path = mounted.path(THOUSAND);
          await secondsOf('ls', ['-l', path]);
          const read = await measured(mounted, async () => {
            const { operations, seconds } = await load('fetch', path, stage.sizes.listedFiles, 8);
            return { value: operations / seconds };
          });
          return { [LISTED_FILES_READ]: read };
        }),
    }));
  },
};
