import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { withCores } from '../measure/with-cores.ts';
import { curl, ranges } from '../peers/curl.ts';
import { downloadUrl } from '../peers/download-url.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { svcfs } from '../peers/svcfs.ts';
import { BIG_FILES } from '../server/names.ts';
import type { Door } from '../server/server-side.ts';
import { type Contestant, type Family, mibPerSecond, onMount, type Sample, type Stage } from '../stage.ts';

export const COLD = 'sequential read, cold';
const WARM = 'sequential read, warm';
const [FILE] = BIG_FILES;

/** One file, front to back. The lines "service's storage" take the bytes from the service, the others from nginx. */
export const sequentialRead: Family = {
  name: 'sequential-read',
  overTls: true,
  rows: [
    { name: COLD, unit: 'MiB/s' },
    { name: WARM, unit: 'MiB/s' },
  ],
  contestants: (stage) => {
    const { server, directory } = stage;
    const direct = svcfs({ name: "svcfs (service's storage)", directory, server, door: 'service' });
    return [
      ...[...stage.mounts, direct].map((peer) => mountReads(stage, peer)),
      curlReads(stage, { peer: 'curl', door: 'platform', count: 1 }),
      curlReads(stage, { peer: 'curl × 8', door: 'platform', count: 8 }),
      curlReads(stage, { peer: "curl × 8 (service's storage)", door: 'service', count: 8 }),
    ];
  },
};

function mountReads(stage: Stage, peer: MountPeer): Contestant {
  return {
    peer: peer.name,
    trial: () =>
      onMount(peer, async (mounted) => ({
        [COLD]: await withCores(stage.server, () => readOnce(mounted)),
        [WARM]: await readOnce(mounted),
      })),
  };
}

export function readOnce(mounted: Mounted): Promise<Sample> {
  return measured(mounted, async () => {
    const { bytes, seconds } = await load('read', mounted.path(FILE));
    return { value: mibPerSecond(bytes, seconds), movedBytes: bytes };
  });
}

interface Curls {
  readonly door: Door;
  /** Each takes a range of its own. */
  readonly count: number;
}

function curlReads(stage: Stage, { peer, ...curls }: Curls & { readonly peer: string }): Contestant {
  return { peer, trial: async () => ({ [COLD]: await curlRead(stage, curls) }) };
}

export async function curlRead({ server, sizes }: Stage, { door, count }: Curls): Promise<Sample> {
  const url = await downloadUrl(server, { door, path: FILE });
  return withCores(server, async () => {
    const seconds = await curl(server, ranges(url, sizes.bigBytes, count));
    return { value: mibPerSecond(sizes.bigBytes, seconds) };
  });
}
