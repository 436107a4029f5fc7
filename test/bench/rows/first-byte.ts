import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { BareHttp } from '../peers/bare-http.ts';
import type { Mounted } from '../peers/mounted.ts';
import { BAM, BIG_FILES } from '../server/names.ts';
import { type Contestant, type Family, onMount, type Sample, type Stage } from '../stage.ts';

export const BARE = 'the calls alone';
const NOTHING_KNOWN = 'first byte, nothing known';
export const FOLDER_KNOWN = 'first byte, folder known';
export const NAME_KNOWN = 'first byte, name known';

/** What svcfs learnt longer ago than a second it asks for again when a file is opened. */
const FACTS_AGE_MS = 1100;

/** From a mount where nothing was looked at (each name of the path costs a request) to one that needs only the bytes. */
export const firstByte: Family = {
  name: 'first-byte',
  rows: [
    { name: NOTHING_KNOWN, unit: 'ms' },
    { name: FOLDER_KNOWN, unit: 'ms' },
    { name: NAME_KNOWN, unit: 'ms' },
  ],
  contestants: (stage) => [
    ...stage.mounts.map((peer) => ({
      peer: peer.name,
      trial: () =>
        onMount(peer, stage, async (mounted) => {
          const nothing = await readFirst(mounted, BIG_FILES[0]);
          for (const file of BIG_FILES) await stat(mounted.path(file));
          await setTimeout(FACTS_AGE_MS);
          // Facts and link are asked for at once: the first such file opens the second connection.
          await readFirst(mounted, BIG_FILES[2]);
          const name = await readFirst(mounted, BIG_FILES[1]);
          await stat(mounted.path(dirname(BAM)));
          const folder = await readFirst(mounted, BAM);
          return { [NOTHING_KNOWN]: nothing, [NAME_KNOWN]: name, [FOLDER_KNOWN]: folder };
        }),
    })),
    { peer: BARE, trial: () => bareCalls(stage) },
  ],
};

/** The same calls without a file system: what the network and the servers take by themselves. */
async function bareCalls({ server, latencyMs }: Stage): ReturnType<Contestant['trial']> {
  const idOf = (path: string): string => server.dataSet.ids.get(path) ?? '';
  const http = new BareHttp(server, latencyMs);
  try {
    const parent = await http.parentOf(idOf(BAM));
    await http.firstByte(idOf(BIG_FILES[2]));
    await setTimeout(FACTS_AGE_MS);
    const name = await millisecondsOf(() => http.firstByte(idOf(BIG_FILES[1])));
    const folder = await millisecondsOf(async () => http.firstByte(await http.find(parent, basename(BAM))));
    return { [NAME_KNOWN]: { value: name }, [FOLDER_KNOWN]: { value: folder } };
  } finally {
    http.close();
  }
}

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function readFirst(mounted: Mounted, name: string): Promise<Sample> {
  return measured(mounted, async () => ({ value: (await load('first-byte', mounted.path(name))).p50Ms }));
}
