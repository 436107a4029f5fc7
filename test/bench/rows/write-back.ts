import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { MountPeer } from '../peers/mounted.ts';
import { rcloneNames } from '../peers/rclone.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { type Family, onMount, type Sample, type Stage } from '../stage.ts';

export const WRITTEN_BACK = 'files of 4 KiB closed, 8 threads, uploads follow';
export const WRITE_BACK = 'svcfs (write-back)';
const THREADS = 8;
const FILE_BYTES = 4096;
let folders = 0;

/** Until the last file is closed: durable in svcfs's journal, in the page cache of rclone's. Uploads go on beside it. */
export const writeBack: Family = {
  name: 'write-back',
  rows: [{ name: WRITTEN_BACK, unit: 'ops/s' }],
  contestants: (stage) => {
    const { server, directory, mounts } = stage;
    const keepInCache = rcloneNames('full');
    const peers = [
      ...mounts.filter(({ name }) => keepInCache.includes(name)),
      svcfs({ name: WRITE_BACK, directory, server, door: 'platform', args: ['--write-back'] }),
    ];
    return peers.map((peer) => ({ peer: peer.name, trial: () => trial(stage, peer) }));
  },
};

async function trial(stage: Stage, peer: MountPeer): Promise<Record<string, Sample>> {
  const { writtenBack } = stage.sizes;
  folders += 1;
  const folder = join(OUT, `written-back-${folders}`);
  try {
    return await onMount(peer, async (mounted) => {
      await mkdir(mounted.path(folder));
      const sample = await measured(mounted, async () => {
        const { operations, seconds } = await load('create', mounted.path(folder), writtenBack, THREADS);
        return { value: operations / seconds };
      });
      for (let i = 0; i < writtenBack; i += 1) await mounted.settled(join(folder, `f${i}`), FILE_BYTES);
      return { [WRITTEN_BACK]: sample };
    });
  } finally {
    await stage.server.dataSet.removeWritten();
  }
}
