import { describeDuration, estimateMs } from '../../batch/estimate.ts';
import { jobsOf, requestsOf, type Step, toldItems } from '../../batch/step.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { filesAt } from '../../places/list-files.ts';
import type { Platform } from '../platform/platform.ts';
import { type ReportOptions, requests } from './report.ts';

/** What a command would cost. */
export interface Cost {
  /** Requests that it makes to look, which were made for the plan as well. */
  readonly looks: number;
  readonly changes: number;
  readonly jobs: number;
  readonly bytes: number;
}

/** The bytes of folders are counted by their listings, which the command itself does not make. */
export async function costOf(steps: readonly Step[], platform: Platform, signal: AbortSignal): Promise<Cost> {
  const looks = platform.calls();
  const sum = (of: (step: Step) => number): number => steps.reduce((total, step) => total + of(step), 0);
  let bytes = 0;
  for (const step of steps) {
    for (const item of toldItems(step)) {
      if (item.bytes !== undefined) bytes += item.bytes;
      else if (step.kind === 'job' && 'id' in item)
        bytes += await bytesBelow(String(item.id), platform, signal);
    }
  }
  return { looks, changes: sum(requestsOf), jobs: sum(jobsOf), bytes };
}

async function bytesBelow(id: string, { api }: Platform, signal: AbortSignal): Promise<number> {
  const folder = { kind: 'folder', project: '', names: [], id, parent: undefined } as const;
  const files = await filesAt(folder, { api, signal, recursive: true });
  return files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
}

/** Prints what would be done, and what it would cost. */
export async function sayPlan(
  steps: readonly Step[],
  cost: Cost,
  {
    verb,
    platform,
    options,
  }: { readonly verb: string; readonly platform: Platform; readonly options: ReportOptions },
): Promise<void> {
  const window = (await platform.connection())?.rate.window;
  const total = cost.looks + cost.changes;
  // The command spends the looks of the plan again.
  const ms = estimateMs(total, window, Date.now());
  if (options.json) {
    const { looks, changes, jobs, bytes } = cost;
    console.log(
      JSON.stringify({ requests: total, looks, changes, jobs, bytes, seconds: Math.ceil(ms / 1000) }),
    );
    return;
  }
  if (!options.quiet) {
    for (const { source, target } of steps.flatMap(toldItems))
      console.log(printable(`would be ${verb}: '${source}'${target === undefined ? '' : ` -> '${target}'`}`));
  }
  console.log(describeCost(cost, ms));
}

/** `6,500 requests, 33 min`, and what they are for. */
export function describeCost({ looks, changes, jobs, bytes }: Cost, ms: number): string {
  return [
    `${requests(looks + changes)}, ${describeDuration(ms)}`,
    `${looks} to look, ${changes} to change`,
    ...(jobs > 0 ? [jobs === 1 ? '1 job' : `${jobs} jobs`] : []),
    ...(bytes > 0 ? [describeSize(bytes)] : []),
  ].join('; ');
}
