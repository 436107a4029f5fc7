import type { SvcfsMount } from '../mount/require-mount.ts';
import { statusOf } from '../mount/status-of.ts';
import { circumstancesOf } from './describe-circumstances.ts';
import type { ReadStanding } from './standing.ts';

/** How far a job of a mount is. The platform tells of items, and of no bytes. */
export function jobStanding(mount: Pick<SvcfsMount, 'directory'>, id: string): ReadStanding {
  return async (ended) => {
    const status = await statusOf(mount, ended);
    const job = status?.jobs.find((each) => each.id === id);
    if (status === undefined || job === undefined) return undefined;
    return {
      done: { items: job.done + job.failed.length, bytes: 0 },
      total: { items: job.total, bytes: 0 },
      ...circumstancesOf(status.statistics.api, Date.now()),
    };
  };
}
