import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { median } from '../measure/median.ts';
import { BareHttp } from '../peers/bare-http.ts';
import type { Mounted } from '../peers/mounted.ts';
import { svcfs, WITH_FACTS } from '../peers/svcfs.ts';
import { APART, BIG_FILES } from '../server/names.ts';
import { type Contestant, type Family, onMount, type Sample, type Stage } from '../stage.ts';

export const BARE = 'the calls alone';
const NOTHING_KNOWN = 'first byte, nothing known';
export const FOLDER_KNOWN = 'first byte, folder known';
export const NAME_KNOWN = 'first byte, name known';

/** Facts older than a second are asked for again when svcfs opens a file. */
const FACTS_AGE_MS = 1100;

/** Each in a folder of its own: what is asked about one of them tells nothing of the others. */
const EACH = 9;
const WARM_UP = APART.slice(0, 1);
const NAMES = APART.slice(1, 1 + EACH);
const FOLDERS = APART.slice(1 + EACH, 1 + 2 * EACH);

/**
 * From a mount where nothing was looked at (each name of the path costs a request) to one that needs only the bytes. Apart:
 * with the capability of our service that tells of a file with its link; on the platform these are two requests at once.
 */
export const firstByte: Family = {
  name: 'first-byte',
  trialsARun: 2,
  rows: [
    { name: NOTHING_KNOWN, unit: 'ms' },
    { name: FOLDER_KNOWN, unit: 'ms' },
    { name: NAME_KNOWN, unit: 'ms' },
  ],
  contestants: (stage) => {
    const { server, directory, mounts } = stage;
    const withFacts = svcfs({ name: WITH_FACTS, directory, server, door: 'extended' });
    return [
      ...[...mounts, withFacts].map((peer) => ({
        peer: peer.name,
        trial: () => onMount(peer, firstBytes),
      })),
      { peer: BARE, trial: () => bareCalls(stage) },
    ];
  },
};

async function firstBytes(mounted: Mounted): Promise<Record<string, Sample>> {
  const nothing = await readFirst(mounted, [BIG_FILES[0]]);
  for (const file of [...WARM_UP, ...NAMES]) await stat(mounted.path(file));
  await setTimeout(FACTS_AGE_MS);
  // Facts and link are asked for at once: the first such file opens the second connection.
  await readFirst(mounted, WARM_UP);
  const name = await readFirst(mounted, NAMES);
  for (const file of FOLDERS) await stat(mounted.path(dirname(file)));
  const folder = await readFirst(mounted, FOLDERS);
  return { [NOTHING_KNOWN]: nothing, [NAME_KNOWN]: name, [FOLDER_KNOWN]: folder };
}

/** The median of the files, one after the other; requests are of all of them. */
function readFirst(mounted: Mounted, files: readonly string[]): Promise<Sample> {
  const paths = files.map((file) => mounted.path(file));
  return measured(mounted, async () => ({ value: (await load('first-byte', ...paths)).p50Ms }));
}

/** The same calls without a file system: what the network and the servers take by themselves. */
async function bareCalls({ server }: Stage): ReturnType<Contestant['trial']> {
  const idOf = (path: string): string => server.dataSet.ids.get(path) ?? '';
  const http = new BareHttp(server);
  const nameKnown = (file: string): Promise<unknown> =>
    Promise.all([http.details(idOf(file)), http.firstByte(idOf(file))]);
  try {
    for (const file of WARM_UP) await nameKnown(file);
    const name = await medianMs(NAMES, nameKnown);
    const parents = new Map<string, string>();
    for (const file of FOLDERS) parents.set(file, (await http.details(idOf(file))).parent);
    const folder = await medianMs(FOLDERS, async (file) =>
      http.firstByte(await http.find(parents.get(file) ?? '', basename(file))),
    );
    return { [NAME_KNOWN]: { value: name }, [FOLDER_KNOWN]: { value: folder } };
  } finally {
    http.close();
  }
}

async function medianMs(files: readonly string[], work: (file: string) => Promise<unknown>): Promise<number> {
  const each: number[] = [];
  for (const file of files) {
    const start = performance.now();
    await work(file);
    each.push(performance.now() - start);
  }
  return median(each);
}
