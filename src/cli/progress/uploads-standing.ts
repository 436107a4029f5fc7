import type { UploadProgress } from '../../content/ports.ts';
import { isFinished } from '../../jobs/job-table.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { type MountStatus, statusOf } from '../mount/status-of.ts';
import { circumstancesOf } from './describe-circumstances.ts';
import type { ReadStanding, Standing } from './standing.ts';
import { UploadTally } from './upload-tally.ts';

/**
 * How far the uploads of a mount are, asked of its process beside the request that waits for them.
 *
 * @param below Begins at the top of the mount: of uploads there or below. Default: all.
 */
export function uploadsOf(mount: Pick<SvcfsMount, 'directory'>, below = '/'): ReadStanding {
  const tally = new UploadTally();
  const inside = below === '/' ? below : `${below}/`;
  return async (ended) => {
    const status = await statusOf(mount, ended);
    if (status === undefined) return undefined;
    const uploads = status.uploads.filter(({ label }) => `${label}/`.startsWith(inside));
    const { done, total } = tally.look(uploads);
    const { waits, silence } = circumstancesOf(status.statistics.api, Date.now());
    const allWaits = [...waits, ...failureOf(uploads), ...last(status, { done, total })];
    return { done, total, waits: allWaits, silence };
  };
}

/** One of many says enough. */
function failureOf(uploads: readonly UploadProgress[]): readonly string[] {
  const failed = uploads.find(({ error }) => error !== undefined);
  return failed === undefined ? [] : [`trying again ${failed.label}: ${failed.error}`];
}

/** When all bytes are sent, and yet it is not over. */
function last(
  { jobs, edited }: MountStatus,
  { done, total }: Pick<Standing, 'done' | 'total'>,
): readonly string[] {
  if (done.bytes < total.bytes) return [];
  const unfinished = jobs.filter(({ state }) => !isFinished(state)).length;
  return [
    ...(done.items < total.items ? ['all sent, the service makes files of it'] : []),
    ...(unfinished > 0 ? [`${unfinished === 1 ? '1 job' : `${unfinished} jobs`} of the platform`] : []),
    ...(edited > 0 ? [`the metadata of ${edited === 1 ? '1 file' : `${edited} files`}`] : []),
  ];
}
