import type { BulkResult, TransferJob } from '../../api/model.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { JobTable } from '../../jobs/job-table.ts';
import { createWatches } from '../../jobs/watches.ts';
import { systemClock } from '../../lib/clock.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { printable } from '../../lib/printable.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import type { Direction } from './start-transfers.ts';

interface ShowOptions {
  readonly wait: boolean;
  readonly json: boolean;
}

/** Tells how imports or exports are that were started, 100 a request; with `wait`, once they are over. */
export async function showTransfers(
  direction: Direction,
  ids: readonly string[],
  { wait, json }: ShowOptions,
  context: Context,
): Promise<void> {
  await onPlatform(context, async ({ platform }) => {
    if (wait) await untilOver(direction, ids, { platform, signal: context.signal });
    for (const group of inGroups(ids, BULK_ITEMS_MAX)) {
      const jobs = await platform.api.transfers.get(direction, group, { signal: context.signal });
      jobs.forEach((job, index) => {
        show(group[index] ?? '', job, json);
      });
    }
  });
}

async function untilOver(
  direction: Direction,
  ids: readonly string[],
  { platform: { api }, signal }: { readonly platform: Platform; readonly signal: AbortSignal },
): Promise<void> {
  const watches = createWatches({ api, clock: systemClock, table: new JobTable(systemClock) });
  try {
    watches[direction].add(ids);
    await Promise.all(ids.map((id) => watches[direction].wait(id, signal)));
  } finally {
    for (const watch of Object.values(watches)) watch.close();
  }
}

function show(id: string, job: BulkResult<TransferJob>, json: boolean): void {
  const failure = job.ok ? job.value.failure : job.failure;
  const state = job.ok ? job.value.state : 'UNKNOWN';
  if (state === 'FAILED' || !job.ok) process.exitCode = EXIT_CODES.failure.code;
  if (json) console.log(JSON.stringify({ id, state, code: failure?.code, reason: failure?.message }));
  else console.log([id, state, failure?.message ?? ''].map(printable).join('\t').trimEnd());
}
