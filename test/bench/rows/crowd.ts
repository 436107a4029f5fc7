import { stat } from 'node:fs/promises';
import { secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { MountPeer } from '../peers/mounted.ts';
import { rcloneName } from '../peers/rclone.ts';
import { CROWD } from '../server/names.ts';
import { type Family, onMount, type Sample } from '../stage.ts';

export const CROWD_LISTED = 'ls -l of 100,000 entries, cold';
export const CROWD_MEMORY = 'memory it takes';

const PEERS: ReadonlySet<string> = new Set([
  'svcfs',
  rcloneName('off', 'WebDAV'),
  rcloneName('full', 'WebDAV'),
]);

/** A folder of 100,000. s3fs asks for each entry on its own: it would take minutes. */
export const crowd: Family = {
  name: 'crowd',
  rows: [
    { name: CROWD_LISTED, unit: 's' },
    { name: CROWD_MEMORY, unit: 'MiB' },
  ],
  contestants: ({ mounts }) =>
    mounts
      .filter(({ name }) => PEERS.has(name))
      .map((peer) => ({ peer: peer.name, trial: () => trial(peer) })),
};

function trial(peer: MountPeer): Promise<Record<string, Sample>> {
  return onMount(peer, async (mounted) => {
    const path = mounted.path(CROWD);
    await stat(path);
    const before = await mounted.usage();
    const listed = await measured(mounted, async () => ({ value: await secondsOf('ls', ['-l', path]) }));
    const after = await mounted.usage();
    return { [CROWD_LISTED]: listed, [CROWD_MEMORY]: { value: after.peakRssMib - before.peakRssMib } };
  });
}
