/**
 * The metrics of a mount: every name, unit and label is in this file, and in src/observe/METRICS.md for its readers. The
 * numbers are those of `.svcfs/stats`.
 */
import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import type { DurationsSample, Metric, Sample, Value } from '../../observe/prometheus-text.ts';
import type { MountStatistics } from './mount-statistics.ts';

/** API requests take no less: shorter ones are not told apart. */
const SHORTEST_REQUEST_MS = 1;

export interface MountInfo {
  readonly version: string;
  readonly mountPoint: string;
}

export function mountMetrics(statistics: MountStatistics, info: MountInfo): readonly Metric[] {
  const { diskCache } = statistics;
  return [
    gauge('info', '1, with the version of svcfs and the mount point.', [
      { labels: { version: info.version, mount_point: info.mountPoint }, value: 1 },
    ]),
    ...operationMetrics(statistics),
    ...apiMetrics(statistics),
    ...storeMetrics(statistics),
    ...memoryMetrics(statistics),
    ...(diskCache === null ? [] : diskCacheMetrics(diskCache)),
    ...spoolMetrics(statistics),
    ...transferMetrics(statistics),
    ...(statistics.spans === null ? [] : [spansMetric(statistics.spans)]),
    counter(
      'believed_answers_total',
      'Answers by facts that had expired, while the rate limit was spent.',
      one(statistics.believed.answers),
    ),
    counter(
      'unkept_attributes_total',
      'Attributes that programs set and that were accepted and forgotten (--unkept).',
      byLabel('attribute', statistics.unkept),
    ),
  ];
}

function operationMetrics({ operations }: MountStatistics): readonly Metric[] {
  const each = Object.entries(operations);
  return [
    counter(
      'operations_total',
      'Requests of the kernel, by how they were answered.',
      each.flatMap(([operation, { answered, failed }]) => [
        { labels: { operation, outcome: 'done' }, value: answered - failed },
        { labels: { operation, outcome: 'failed' }, value: failed },
      ]),
    ),
    histogram(
      'operation_duration_seconds',
      'Time from the request of the kernel to its answer.',
      each.map(([operation, { answered: count, ms, buckets }]) => ({
        labels: { operation },
        durations: { count, ms, buckets },
      })),
    ),
    counter(
      'operation_errors_total',
      'Requests of the kernel that failed, by errno. ENOENT is the answer to a look at a name that is free.',
      each.flatMap(([operation, { errors }]) =>
        Object.entries(errors).map(([errno, value]) => ({ labels: { operation, errno }, value })),
      ),
    ),
  ];
}

function apiMetrics({ api, requests, retries }: MountStatistics): readonly Metric[] {
  const { lost, away, tokenRefusedSinceMs, rate, rateWaits } = api;
  const { window } = rate;
  const known = window === undefined || window === 'unlimited' ? undefined : window;
  return [
    histogram(
      'api_request_duration_seconds',
      'Time from a request of the API to its answer, retries included; status none: no answer came.',
      Object.entries(requests).flatMap(([call, statuses]) =>
        Object.entries(statuses).map(([status, durations]) => ({ labels: { call, status }, durations })),
      ),
      SHORTEST_REQUEST_MS,
    ),
    counter(
      'api_retries_total',
      'Requests sent again, by why: failure, or a refusal for the rate limit.',
      byLabel('because', { ...retries }),
    ),
    counter('api_requests_lost_total', 'Requests of the API without an answer.', one(lost)),
    gauge('api_away', '1 while the service does not answer.', one(away ? 1 : 0)),
    gauge(
      'api_token_refused',
      '1 while the service refuses the token.',
      one(tokenRefusedSinceMs === null ? 0 : 1),
    ),
    gauge('api_requests_in_flight', 'Requests of the API under way.', one(rate.inFlight)),
    gauge(
      'api_requests_waiting',
      'Requests that wait for the rate limit.',
      byLabel('priority', rate.waiting),
    ),
    gauge(
      'api_requests_refused',
      'Requests refused for the rate limit, to be sent again.',
      one(rate.refused.calls),
    ),
    counter('api_rate_waits_total', 'Intervals of the rate limit that were used up.', one(rateWaits)),
    ...(known === undefined
      ? []
      : [
          gauge('api_rate_limit', 'Requests that the service allows in an interval.', one(known.limit)),
          gauge('api_rate_remaining', 'Requests left in this interval.', one(known.remaining)),
        ]),
  ];
}

function storeMetrics({ stores }: MountStatistics): readonly Metric[] {
  const { range, part, firstByte, retries } = stores;
  const each = Object.entries({ range, part });
  return [
    counter('store_received_bytes_total', 'Bytes of ranges that stores sent.', one(range.bytes)),
    counter('store_sent_bytes_total', 'Bytes of parts that stores took.', one(part.bytes)),
    histogram(
      'store_request_duration_seconds',
      'Time of a range that came or a part that was taken, with its retries.',
      each.map(([kind, { durations }]) => ({ labels: { kind }, durations })),
      SHORTEST_REQUEST_MS,
    ),
    histogram(
      'store_first_byte_seconds',
      'Time until a store answered for a range.',
      [{ durations: firstByte }],
      SHORTEST_REQUEST_MS,
    ),
    counter(
      'store_requests_total',
      'Ranges and parts that are over, by how they ended; given_up: nobody wanted them any more.',
      each.flatMap(([kind, { ends }]) =>
        Object.entries(ends).map(([end, value]) => ({ labels: { kind, end }, value })),
      ),
    ),
    counter('store_retries_total', 'Exchanges with stores that failed and were made anew.', one(retries)),
  ];
}

function memoryMetrics({ cache, memory }: MountStatistics): readonly Metric[] {
  const { hits, misses, cachedBytes, fetchedBytes, splicedBytes, readBytes } = cache;
  return [
    counter('reads_total', 'Reads, by whether all bytes were in memory.', [
      { labels: { memory: 'hit' }, value: hits },
      { labels: { memory: 'miss' }, value: misses },
    ]),
    counter('read_bytes_total', 'Bytes of platform files handed to readers.', one(readBytes)),
    counter(
      'fetched_bytes_total',
      'Asked of the disk cache or the store, ahead of readers too.',
      one(fetchedBytes),
    ),
    counter('spliced_bytes_total', 'Handed to the kernel without a copy of ours.', one(splicedBytes)),
    gauge('memory_cached_bytes', 'Blocks cached in memory.', one(cachedBytes)),
    gauge('memory_used_bytes', 'Memory of the data path in use.', one(memory.usedBytes)),
    gauge('memory_held_bytes', 'Memory of the data path in use or kept for use.', one(memory.heldBytes)),
    counter(
      'memory_fresh_bytes_total',
      'Memory taken from the machine, not used before.',
      one(memory.freshBytes),
    ),
    gauge('memory_limit_bytes', 'Memory that the data path may use.', one(memory.limitBytes)),
  ];
}

function diskCacheMetrics(disk: DiskCacheStatistics): readonly Metric[] {
  return [
    gauge(
      'disk_cache_bytes',
      'Disk space of the cache, entries of other mounts included.',
      one(disk.cachedBytes),
    ),
    gauge('disk_cache_entries', 'Files of which something is cached, when last counted.', one(disk.entries)),
    ...(disk.limitBytes === null
      ? []
      : [gauge('disk_cache_limit_bytes', 'Disk space that the cache may take.', one(disk.limitBytes))]),
    gauge('disk_cache_full', '1 while nothing can be added.', one(disk.full ? 1 : 0)),
    counter('disk_cache_asked_bytes_total', 'Bytes asked of the disk cache, by whether they were there.', [
      { labels: { disk: 'hit' }, value: disk.hitBytes },
      { labels: { disk: 'miss' }, value: disk.missedBytes },
    ]),
    counter('disk_cache_written_bytes_total', 'Bytes added.', one(disk.writtenBytes)),
    counter(
      'disk_cache_dropped_bytes_total',
      'Bytes not added: no room, or too slow.',
      one(disk.droppedBytes),
    ),
    counter('disk_cache_evicted_bytes_total', 'Bytes evicted to keep the limits.', one(disk.evictedBytes)),
    counter(
      'disk_cache_damaged_blocks_total',
      'Blocks that did not match their checksum.',
      one(disk.damagedBlocks),
    ),
    counter('disk_cache_passed_through_total', 'Files given to the kernel to read.', one(disk.passedThrough)),
    counter('disk_cache_failures_total', 'Failures of the disk.', one(disk.failures)),
  ];
}

function spoolMetrics({ spool }: MountStatistics): readonly Metric[] {
  const { usedBytes, limitBytes, waitingWrites } = spool;
  return [
    gauge('spool_bytes', 'Disk space of files being written.', one(usedBytes)),
    ...(limitBytes === null
      ? []
      : [gauge('spool_limit_bytes', 'Disk space that files being written may take.', one(limitBytes))]),
    gauge('spool_writes_waiting', 'Writes that wait for room in the spool.', one(waitingWrites)),
  ];
}

function transferMetrics({ uploads, jobs }: MountStatistics): readonly Metric[] {
  return [
    gauge('uploads', 'Files not on the service yet.', [
      { labels: { state: 'writing' }, value: uploads.writing },
      { labels: { state: 'publishing' }, value: uploads.publishing },
    ]),
    gauge('upload_parts_in_flight', 'Parts on their way to the store.', one(uploads.partsInFlight)),
    gauge('jobs_unfinished', 'Jobs of the platform that this mount started.', one(jobs.unfinished)),
  ];
}

function spansMetric({ sent, dropped }: NonNullable<MountStatistics['spans']>): Metric {
  return counter('spans_total', 'Spans for the collector of --otlp, by what became of them.', [
    { labels: { end: 'sent' }, value: sent },
    { labels: { end: 'dropped' }, value: dropped },
  ]);
}

function counter(name: string, help: string, samples: readonly Sample[]): Value {
  return { name: `svcfs_mount_${name}`, help, type: 'counter', samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Value {
  return { name: `svcfs_mount_${name}`, help, type: 'gauge', samples };
}

function histogram(name: string, help: string, samples: readonly DurationsSample[], fromMs = 0): Metric {
  return { name: `svcfs_mount_${name}`, help, type: 'histogram', samples, fromMs };
}

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function byLabel(label: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}
