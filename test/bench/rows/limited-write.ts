import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { startServerSide } from '../server/server-side.ts';
import { SIZES } from '../sizes.ts';
import { type Contestant, type Family, mibPerSecond, onMount, type Stage } from '../stage.ts';

const LIMITED = "write with the platform's rate limit";
const RATE_LIMIT = '1000/300';

/** A service of its own, because a limit is of a whole service. */
export const limitedWrite: Family = {
  name: 'limited-write',
  rows: [{ name: LIMITED, unit: 'MiB/s' }],
  contestants: (stage) => [{ peer: 'svcfs', trial: () => trial(stage) }],
};

async function trial(stage: Stage): ReturnType<Contestant['trial']> {
  const { serverDirectory, kept, latencyMs, sizes } = stage;
  const directory = await mkdtemp(join(serverDirectory, 'limited-'));
  const server = await startServerSide({
    directory,
    kept,
    sizes: SIZES.quick,
    latenciesMs: [latencyMs],
    rateLimit: RATE_LIMIT,
  });
  try {
    const peer = svcfs({ directory: stage.directory, server, door: 'service' });
    const sample = await onMount(peer, stage, (mounted) =>
      measured(mounted, async () => {
        const { bytes, seconds } = await load('write', sizes.writeBytes, mounted.path(join(OUT, 'limited')));
        return { value: mibPerSecond(bytes, seconds), movedBytes: bytes };
      }),
    );
    return { [LIMITED]: sample };
  } finally {
    await server.end();
    await rm(directory, { recursive: true });
  }
}
