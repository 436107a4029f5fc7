import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { type Family, onMount, type Sample, type Stage } from '../stage.ts';
import { WRITE_BACK } from './write-back.ts';

const DEEDS = ['create', 'fetch', 'delete'] as const;
const SPOKEN = { create: 'created', fetch: 'read', delete: 'deleted' } as const;
const THREADS = [1, 8] as const;
const FILE_BYTES = 4096;
let folders = 0;

/** `smallFileRow('create', 8)` */
export function smallFileRow(deed: (typeof DEEDS)[number], threads: number): string {
  return `files of 4 KiB ${SPOKEN[deed]}, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
}

export const INLINE = 'svcfs (upload_inline)';
const WRITE_BACK_INLINE = 'svcfs (write-back, upload_inline)';

/** `svcfs` is kept from seeing the capability upload_inline of the service, as the platform has none. */
export const smallFiles: Family = {
  name: 'small-files',
  rows: THREADS.flatMap((threads) =>
    DEEDS.map((deed) => ({ name: smallFileRow(deed, threads), unit: 'ops/s' as const })),
  ),
  contestants: (stage) => {
    const { server, directory, mounts } = stage;
    const peers = [
      ...mounts.map((peer) => (peer.name === 'svcfs' ? svcfs({ directory, server, door: 'plain' }) : peer)),
      svcfs({ name: INLINE, directory, server, door: 'platform' }),
      svcfs({ name: WRITE_BACK, directory, server, door: 'plain', args: ['--write-back'] }),
      svcfs({ name: WRITE_BACK_INLINE, directory, server, door: 'platform', args: ['--write-back'] }),
    ];
    return peers.map((peer) => ({ peer: peer.name, trial: () => trial(stage, peer) }));
  },
};

async function trial(stage: Stage, peer: MountPeer): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample> = {};
  try {
    for (const threads of THREADS) {
      folders += 1;
      const folder = join(OUT, `small-${folders}`);
      const once = (deed: (typeof DEEDS)[number]) => async (mounted: Mounted) => {
        samples[smallFileRow(deed, threads)] = await doAll(mounted, { deed, folder, threads, stage });
      };
      await onMount(peer, stage, async (mounted) => {
        await mkdir(mounted.path(folder));
        await once('create')(mounted);
        for (let i = 0; i < stage.sizes.smallFiles; i += 1)
          await mounted.settled(join(folder, `f${i}`), FILE_BYTES);
      });
      await onMount(peer, stage, async (mounted) => {
        await once('fetch')(mounted);
        await once('delete')(mounted);
      });
    }
    return samples;
  } finally {
    await stage.server.dataSet.removeWritten();
  }
}

interface Deed {
  readonly deed: (typeof DEEDS)[number];
  readonly folder: string;
  readonly threads: number;
  readonly stage: Stage;
}

function doAll(mounted: Mounted, { deed, folder, threads, stage }: Deed): Promise<Sample> {
  return measured(mounted, async () => {
    const { operations, seconds } = await load(deed, mounted.path(folder), stage.sizes.smallFiles, threads);
    return { value: operations / seconds };
  });
}
