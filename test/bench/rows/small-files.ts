import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { rcloneName } from '../peers/rclone.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { type Family, onMount, type Sample, type Stage } from '../stage.ts';
import { WRITE_BACK } from './write-back.ts';

const DEEDS = ['create', 'fetch', 'delete'] as const;
type Deed = (typeof DEEDS)[number];
const SPOKEN = { create: 'created', fetch: 'read', delete: 'deleted' } as const;
const THREADS = [1, 8] as const;
const FILE_BYTES = 4096;
let folders = 0;

/** `smallFileRow('create', 8)` */
export function smallFileRow(deed: Deed, threads: (typeof THREADS)[number]): string {
  return `files of 4 KiB ${SPOKEN[deed]}, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
}

export const INLINE = 'svcfs (upload_inline)';
const WRITE_BACK_INLINE = 'svcfs (write-back, upload_inline)';

export const smallFiles: Family = {
  name: 'small-files',
  overTls: true,
  rows: THREADS.flatMap((threads) =>
    DEEDS.map((deed) => ({ name: smallFileRow(deed, threads), unit: 'ops/s' as const })),
  ),
  contestants: (stage) => {
    const { server, directory, mounts } = stage;
    const peers = [
      ...mounts,
      svcfs({ name: INLINE, directory, server, door: 'extended' }),
      svcfs({ name: WRITE_BACK, directory, server, door: 'platform', args: ['--write-back'] }),
      svcfs({ name: WRITE_BACK_INLINE, directory, server, door: 'extended', args: ['--write-back'] }),
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
      const files = filesOf(peer, stage);
      const once = (deed: Deed) => async (mounted: Mounted) => {
        samples[smallFileRow(deed, threads)] = await measured(mounted, async () => {
          const { operations, seconds } = await load(deed, mounted.path(folder), files, threads);
          return { value: operations / seconds };
        });
      };
      await onMount(peer, async (mounted) => {
        await mkdir(mounted.path(folder));
        await once('create')(mounted);
        for (let i = 0; i < files; i += 1) await mounted.settled(join(folder, `f${i}`), FILE_BYTES);
      });
      await onMount(peer, async (mounted) => {
        await once('fetch')(mounted);
        await once('delete')(mounted);
      });
    }
    return samples;
  } finally {
    await stage.server.dataSet.removeWritten();
  }
}

/** s3fs makes six in a second, rclone by WebDAV thirty, however many threads there are: a thousand would show no more. */
const SLOW: readonly string[] = ['s3fs', rcloneName('off', 'WebDAV'), rcloneName('full', 'WebDAV')];

function filesOf({ name }: MountPeer, { sizes }: Stage): number {
  return SLOW.includes(name) ? sizes.smallFilesOfSlow : sizes.smallFiles;
}
