import { describeSize } from '../../../lib/describe-size.ts';
import type { Failure } from '../../../vfs/errors/error-registry.ts';
import { describeDiskCache } from '../../describe/describe-disk-cache.ts';
import { AS_GOOD_AS_NONE } from '../../describe/describe-status.ts';
import type { MountStatus } from '../../mount/control-messages.ts';
import type { MountIdentity } from '../../mount/mount-identity.ts';
import type { MountStatistics } from '../../mount/mount-statistics.ts';
import type {
  Bounded,
  Budget,
  Fact,
  FailureView,
  Gauge,
  Job,
  MountDetails,
  Transfer,
} from '../page-model.ts';

/** So many lines of a list go to the page: more would not be read, and each second they are sent anew. */
const MOST = 100;

/** What the page shows of a mount beside what its summary says. */
export type MountContent = Pick<
  MountDetails,
  'facts' | 'budget' | 'gauges' | 'transfers' | 'jobList' | 'failures' | 'diskCache' | 'whyNoDiskCache'
>;

/** A mount that has said nothing yet. */
export const NOTHING_KNOWN: MountContent = {
  facts: [],
  budget: undefined,
  gauges: [],
  transfers: { first: [], total: 0 },
  jobList: { first: [], total: 0 },
  failures: { first: [], total: 0 },
  diskCache: false,
  whyNoDiskCache: '',
};

export interface Known {
  readonly status: MountStatus;
  /** Bytes a second, of the upload of this path. */
  readonly rateOf: (path: string) => number;
}

export function contentOf({ status, rateOf }: Known): MountContent {
  const { statistics, uploads, jobs, errors = [] } = status;
  return {
    facts: factsOf(status),
    budget: budgetOf(statistics),
    gauges: gaugesOf(statistics),
    transfers: bounded(uploads, (upload) => transferOf(upload, rateOf(upload.label))),
    // The newest, and those that go on before those that are over.
    jobList: bounded(
      jobs.toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.startedMs - a.startedMs),
      jobOf,
    ),
    failures: bounded(errors.toReversed(), failureOf),
    diskCache: statistics.diskCache !== null,
    whyNoDiskCache: statistics.warnings[0] ?? 'The mount has no disk cache: mount it with --cache-dir.',
  };
}

function bounded<From, To>(list: readonly From[], view: (from: From) => To): Bounded<To> {
  return { first: list.slice(0, MOST).map(view), total: list.length };
}

function factsOf({ statistics, edited, rates, mount }: MountStatus): readonly Fact[] {
  const { api, cache } = statistics;
  const sent = Object.values(api.calls).reduce((sum, count) => sum + count, 0);
  const limits = [
    ...(rates.upload === undefined ? [] : [`${describeSize(rates.upload)}/s up`]),
    ...(rates.download === undefined ? [] : [`${describeSize(rates.download)}/s down`]),
  ];
  return [
    ...(mount === undefined ? [] : identityFacts(mount)),
    { name: 'Requests sent', value: `${sent}${api.lost === 0 ? '' : `, ${api.lost} without an answer`}` },
    { name: 'Requests under way', value: String(api.rate.inFlight) },
    { name: 'Dialect', value: api.dialect },
    { name: 'Fetched', value: describeSize(cache.fetchedBytes) },
    ...(edited === 0 ? [] : [{ name: 'Files with metadata to be sent', value: String(edited) }]),
    ...(limits.length === 0 ? [] : [{ name: 'Limits', value: limits.join(', ') }]),
  ];
}

function identityFacts({
  username,
  endpoint,
  profile,
  root,
  sinceMs,
  ...mount
}: MountIdentity): readonly Fact[] {
  const how = [...(mount.readOnly ? ['read-only'] : []), ...(mount.writeBack ? ['write-back'] : [])];
  return [
    { name: 'User', value: username },
    { name: 'Endpoint', value: endpoint },
    ...(profile === null ? [] : [{ name: 'Profile', value: profile }]),
    ...(root === null ? [] : [{ name: 'Begins at', value: root }]),
    ...(how.length === 0 ? [] : [{ name: 'Mounted', value: how.join(', ') }]),
    { name: 'Mounted since', value: `${new Date(sinceMs).toISOString().slice(0, 19).replace('T', ' ')} Z` },
    { name: 'Process', value: `${mount.process}, svcfs ${mount.version}` },
  ];
}

function budgetOf({ api }: MountStatistics): Budget | undefined {
  const { window } = api.rate;
  if (window === undefined || window === 'unlimited' || window.limit >= AS_GOOD_AS_NONE) return undefined;
  return { limit: window.limit, remaining: window.remaining, resetMs: window.resetMs };
}

function gaugesOf(statistics: MountStatistics): readonly Gauge[] {
  const { memory, cache, spool, diskCache } = statistics;
  const reads = cache.hits + cache.misses;
  const share =
    reads === 0 ? 'not read yet' : `${Math.floor((100 * cache.hits) / reads)} % of reads served at once`;
  return [
    {
      name: 'Memory',
      usedBytes: memory.heldBytes,
      limitBytes: memory.limitBytes,
      words: `${describeSize(memory.usedBytes)} in use; ${describeSize(cache.cachedBytes)} of files, ${share}`,
    },
    ...(diskCache === null
      ? []
      : [
          {
            name: 'Disk cache',
            usedBytes: diskCache.cachedBytes,
            limitBytes: diskCache.limitBytes,
            words: describeDiskCache(statistics).join('; '),
          },
        ]),
    {
      name: 'Spool of files being written',
      usedBytes: spool.usedBytes,
      limitBytes: spool.limitBytes,
      words: spool.waitingWrites === 0 ? '' : `writes that wait for room: ${spool.waitingWrites}`,
    },
  ];
}

function transferOf(
  { label, state, sentBytes, sizeBytes, error }: MountStatus['uploads'][number],
  rate: number,
): Transfer {
  const isMoving = state === 'publishing' && rate > 0;
  return {
    path: label,
    state,
    sentBytes,
    sizeBytes,
    rate,
    leftSeconds: isMoving ? Math.ceil((sizeBytes - sentBytes) / rate) : undefined,
    error,
  };
}

function isOver({ state }: { readonly state: Job['state'] }): boolean {
  return state === 'done' || state === 'failed';
}

function jobOf(job: MountStatus['jobs'][number]): Job {
  const { id, kind, state, source, target, total, done, failed, startedMs } = job;
  const failure = job.failure ?? failed[0]?.failure;
  return {
    ...{ id, kind, state, source, target, total, done, startedMs },
    failed: failed.length,
    failure: failure && `${failure.message} (code ${failure.code})`,
  };
}

function failureOf({ atMs, op, attribute, path, target, errno, text, requestId }: Failure): FailureView {
  return {
    atMs,
    op: attribute === undefined ? op : `${op} ${attribute}`,
    path,
    target,
    errno,
    text,
    requestId,
  };
}
