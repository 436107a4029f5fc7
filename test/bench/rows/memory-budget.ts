import { NEAR } from '../line.ts';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { mountStatistics } from '../peers/mount-statistics.ts';
import type { Mounted } from '../peers/mounted.ts';
import { svcfs } from '../peers/svcfs.ts';
import { BIG_FILES } from '../server/names.ts';
import { type Family, onMount, type Sample } from '../stage.ts';

export const BUDGET_MIB = 64;
const BUDGET_FULL = `peak RSS, memory budget of ${BUDGET_MIB} MiB full of random reads`;
export const BUDGET_FULL_AND_STREAM = `${BUDGET_FULL}, then a file read`;
const BLOCK_BYTES = 4096;
const THREADS = 8;
/** Of each thread in each of four files. A read keeps 16 KiB, of which only a quarter was read: 256 MiB in all. */
const READS = 512;

/** Random reads until the budget has been full several times over, then a file from front to back. */
export const memoryBudget: Family = {
  name: 'memory-budget',
  lines: [NEAR],
  rows: [
    { name: BUDGET_FULL, unit: 'MiB' },
    { name: BUDGET_FULL_AND_STREAM, unit: 'MiB' },
  ],
  contestants: (stage) => {
    const { server, directory } = stage;
    const peer = svcfs({ directory, server, door: 'platform', memoryMib: BUDGET_MIB });
    return [
      {
        peer: peer.name,
        trial: () =>
          onMount(peer, async (mounted) => {
            const peakOf = (work: () => Promise<unknown>): Promise<Sample> =>
              measured(mounted, async () => {
                await work();
                return { value: (await mounted.usage()).peakRssMib };
              });
            const full = await peakOf(() => fill(mounted));
            const stream = await peakOf(() => load('read', mounted.path(BIG_FILES[0])));
            return { [BUDGET_FULL]: full, [BUDGET_FULL_AND_STREAM]: stream };
          }),
      },
    ];
  },
};

/** Fails when the budget was not filled: the row would say nothing. */
async function fill(mounted: Mounted): Promise<void> {
  for (const file of BIG_FILES) await load('random', mounted.path(file), BLOCK_BYTES, THREADS, READS);
  const { memory, cache } = await mountStatistics(mounted);
  const isFull = memory.usedBytes > 0.9 * memory.limitBytes && cache.fetchedBytes > 2 * memory.limitBytes;
  if (!isFull) throw new Error(`${memory.usedBytes} of ${memory.limitBytes} bytes: the budget is not full`);
}
