import { join } from 'node:path';
import { mustRun } from '../../support/run.ts';
import { secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { BAM } from '../server/names.ts';
import { type Contestant, type Family, onMount, type Stage } from '../stage.ts';

export const BAM_REGIONS = '50 regions of a BAM';
export const ON_DISK = 'local disk';
const REGIONS = 50;
const CHROMOSOME_BYTES = 200_000_000;
const REGION_BYTES = 20_000;

/** `samtools view` of 50 regions in no order, over the index. The local file says how many bytes samtools reads. */
export const bamRegions: Family = {
  name: 'bam-regions',
  overTls: true,
  rows: [{ name: BAM_REGIONS, unit: 's' }],
  contestants: (stage) => [
    ...stage.mounts.map(
      (peer): Contestant => ({
        peer: peer.name,
        trial: () =>
          onMount(peer, async (mounted) => ({
            [BAM_REGIONS]: await measured(mounted, async () => ({
              value: await secondsOf('samtools', viewOf(mounted.path(BAM))),
            })),
          })),
      }),
    ),
    { peer: ON_DISK, trial: () => readsOfLocalFile(stage) },
  ],
};

function viewOf(path: string): readonly string[] {
  const regions = Array.from({ length: REGIONS }, (_, index) => {
    const start = 1 + ((index * 7919 * 10_007) % (CHROMOSOME_BYTES - REGION_BYTES));
    return `chr1:${start}-${start + REGION_BYTES}`;
  });
  return ['view', '-c', path, ...regions];
}

/** proc(5): `rchar` of a shell counts what the children read that it has waited for. */
async function readsOfLocalFile({ server }: Stage): ReturnType<Contestant['trial']> {
  const args = viewOf(join(server.dataSet.tree, BAM));
  const start = performance.now();
  const script = 'samtools "$@" >/dev/null; read -r _ bytes < /proc/$$/io; echo "$bytes"';
  const bytes = Number(await mustRun('bash', ['-c', script, 'bash', ...args]));
  const value = (performance.now() - start) / 1000;
  return { [BAM_REGIONS]: { value, sentBytes: bytes } };
}
