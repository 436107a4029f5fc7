import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FAR, isSameLine } from '../line.ts';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { mountStatistics } from '../peers/mount-statistics.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { rclone } from '../peers/rclone.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { type ServerAt, startServerSide } from '../server/server-side.ts';
import { SIZES } from '../sizes.ts';
import { type Family, onMount, type Sample, type Stage } from '../stage.ts';

/** The platform's is 1,000 in 300 s, too long to wait for. */
const LIMIT = { requests: 300, windowSeconds: 10 } as const;
const LIMITED = `files of 4 KiB uploaded, 8 threads, rate limit of ${LIMIT.requests} requests per ${LIMIT.windowSeconds} s`;
const THREADS = 8;
const FILE_BYTES = 4096;
const FOLDER = join(OUT, 'limited');

/** One who is limited: at which door, and which of its requests count. */
interface Limited {
  readonly name: string;
  readonly door: 'platform' | 'dav';
  readonly counted: 'apiRequests' | 'dataRequests';
  peer(on: { readonly directory: string; readonly server: ServerAt }): MountPeer;
  /** How often it has held requests back by itself. */
  waits(mounted: Mounted): Promise<number>;
}

const LIMITED_PEERS: readonly Limited[] = [
  {
    name: 'svcfs',
    door: 'platform',
    counted: 'apiRequests',
    peer: (on) => svcfs({ ...on, door: 'platform' }),
    waits: async (mounted) => (await mountStatistics(mounted)).api.rateWaits,
  },
  {
    name: 'rclone (off)',
    door: 'dav',
    counted: 'dataRequests',
    peer: (on) => rclone('off', on),
    waits: () => Promise.resolve(0),
  },
];

/** Servers of their own, because a limit is of a whole server. Once: the limit sets the pace, not the machine. */
export const limitedWrite: Family = {
  name: 'limited-write',
  rows: [{ name: LIMITED, unit: 's' }],
  mostRuns: 1,
  contestants: (stage) =>
    isSameLine(stage.line, FAR)
      ? LIMITED_PEERS.map((limited) => ({ peer: limited.name, trial: () => trial(stage, limited) }))
      : [],
};

async function trial(stage: Stage, limited: Limited): Promise<Record<string, Sample>> {
  const { serverDirectory, kept, line } = stage;
  const directory = await mkdtemp(join(serverDirectory, 'limited-'));
  const servers = await startServerSide({
    directory,
    kept,
    sizes: SIZES.quick,
    lines: [line],
    rateLimit: LIMIT,
  });
  const server = servers.at(line);
  try {
    const peer = limited.peer({ directory: stage.directory, server });
    const sample = await onMount(peer, async (mounted) => {
      await mkdir(mounted.path(FOLDER));
      // The whole budget is there again.
      await delay(1000 * LIMIT.windowSeconds);
      return upload(mounted, { ...limited, server, files: stage.sizes.limitedFiles });
    });
    return { [LIMITED]: sample };
  } finally {
    await servers.end();
    await rm(directory, { recursive: true });
  }
}

/** Fails when the limit was not met: the row would say nothing. */
async function upload(
  mounted: Mounted,
  { server, door, counted, waits, files }: Limited & { readonly server: ServerAt; readonly files: number },
): Promise<Sample> {
  const [waitsBefore, refusalsBefore] = [await waits(mounted), await server.refusals(door)];
  const sample = await measured(mounted, async () => {
    const start = performance.now();
    await load('create', mounted.path(FOLDER), files, THREADS);
    for (let i = 0; i < files; i += 1) await mounted.settled(join(FOLDER, `f${i}`), FILE_BYTES);
    return { value: (performance.now() - start) / 1000 };
  });
  const refusals = (await server.refusals(door)) - refusalsBefore;
  if (refusals === 0 && (await waits(mounted)) === waitsBefore) throw new Error('the limit was not met');
  return { ...sample, refusals, floorSeconds: floorOf((sample[counted] ?? 0) - refusals) };
}

/** Requests beyond the budget come at the rate of the limit. */
function floorOf(requests: number): number {
  return (Math.max(0, requests - LIMIT.requests) * LIMIT.windowSeconds) / LIMIT.requests;
}
