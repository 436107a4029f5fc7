import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { withCores } from '../measure/with-cores.ts';
import { curl, ranges } from '../peers/curl.ts';
import { downloadUrl } from '../peers/download-url.ts';
import type { Mounted } from '../peers/mounted.ts';
import { BIG_FILES } from '../server/names.ts';
import { type Contestant, type Family, mibPerSecond, onMount, type Sample, type Stage } from '../stage.ts';

export const FOUR_AT_ONCE = '4 files read at once, cold';

export const parallelRead: Family = {
  name: 'parallel-read',
  overTls: true,
  rows: [{ name: FOUR_AT_ONCE, unit: 'MiB/s' }],
  contestants: (stage) => [
    ...stage.mounts.map(
      (peer): Contestant => ({
        peer: peer.name,
        trial: () =>
          onMount(peer, async (mounted) => ({
            [FOUR_AT_ONCE]: await withCores(stage.server, () => readAll(mounted)),
          })),
      }),
    ),
    { peer: 'curl, 4 × 4', trial: () => curlReads(stage) },
  ],
};

function readAll(mounted: Mounted): Promise<Sample> {
  return measured(mounted, async () => {
    const { bytes, seconds } = await load('read', ...BIG_FILES.map((name) => mounted.path(name)));
    return { value: mibPerSecond(bytes, seconds), movedBytes: bytes };
  });
}

async function curlReads({ server, sizes }: Stage): ReturnType<Contestant['trial']> {
  const urls = await Promise.all(BIG_FILES.map((path) => downloadUrl(server, { door: 'platform', path })));
  const read = await withCores(server, async () => {
    const seconds = await curl(
      server,
      urls.flatMap((url) => ranges(url, sizes.bigBytes, 4)),
    );
    return { value: mibPerSecond(BIG_FILES.length * sizes.bigBytes, seconds) };
  });
  return { [FOUR_AT_ONCE]: read };
}
