import { describe, expect, it } from 'vitest';
import type { MountStatus } from '../../../../src/cli/mount/control-messages.ts';
import type { MountStatistics } from '../../../../src/cli/mount/mount-statistics.ts';
import type { TraceEvent } from '../../../../src/cli/mount/trace/trace-event.ts';
import { activityOf, type TopSample } from '../../../../src/cli/top/activity.ts';
import { drawTop, type TopView } from '../../../../src/cli/top/draw-top.ts';
import { SlowPaths } from '../../../../src/cli/top/slow-paths.ts';
import { someStatistics } from '../some-statistics.ts';

const MIB = 1024 * 1024;
const NOW_MS = new Date(2026, 0, 1, 12).getTime();
const BEGINNING = someStatistics();

function sample(atMs: number, given: Partial<MountStatistics>): TopSample {
  const statistics = someStatistics(given);
  return { atMs, status: { uploads: [], jobs: [], edited: 0, rates: {}, statistics } };
}

function operation(count: number, bucketMs: number, failed = 0): MountStatistics['operations'][string] {
  return { answered: count, failed, ms: 0, errors: {}, buckets: { [String(bucketMs)]: count } };
}

const EVENT: TraceEvent = {
  atMs: NOW_MS,
  process: 812,
  program: 'samtools',
  operation: 'read',
  path: '/projects/demo/trio-exomes/child/child.bam',
  target: null,
  detail: null,
  result: 1,
  errno: null,
  reason: null,
  ms: 120,
  requests: 1,
};

const SAMPLES = [
  sample(0, {}),
  sample(8000, { operations: { READ: operation(10, 16.384), LOOKUP: operation(3, 0.256) } }),
  sample(10_000, {
    operations: { READ: operation(110, 16.384), LOOKUP: operation(3, 0.256), UNLINK: operation(2, 1.024, 1) },
    cache: { ...BEGINNING.cache, hits: 3, misses: 1, readBytes: 4 * MIB },
    api: { ...BEGINNING.api, calls: { 'GET /files': 27 } },
    programs: [
      { process: 812, command: 'samtools', requests: 16, recent: 16 },
      { process: 11, command: 'cat', requests: 2, recent: 2 },
      { process: 12, command: 'cat', requests: 2, recent: 2 },
      { process: 13, command: 'old', requests: 2, recent: 0 },
    ],
  }),
];

describe('what happens on a mount', () => {
  it('is told by rates of the last interval', () => {
    const activity = activityOf(SAMPLES);
    expect(activity).toMatchObject({
      bytes: { read: 2 * MIB, written: 0, fetched: 0, sent: 0 },
      requestsPerSecond: 10,
      hits: 0.75,
      readsPerSecond: 2,
    });
    expect(activity.programs).toEqual([
      { command: 'samtools', processes: [812], perSecond: 8, recent: 16 },
      { command: 'cat', processes: [11, 12], perSecond: 2, recent: 4 },
    ]);
  });

  it('is told by durations since the first sample, with operations that have become silent', () => {
    const { operations } = activityOf(SAMPLES);
    expect(operations.map(({ name, perSecond, failed }) => [name, perSecond, failed])).toEqual([
      ['read', 50, 0],
      ['lookup', 0, 0],
      ['unlink', 1, 1],
    ]);
    const [read] = operations;
    expect(read?.p50Ms).toBeGreaterThan(8);
    expect(read?.p99Ms).toBeLessThanOrEqual(16.384);
    expect(activityOf(SAMPLES.slice(1)).operations.map(({ name }) => name)).toEqual(['read', 'unlink']);
  });
});

describe('the view', () => {
  const view = (given: Partial<TopView> = {}): TopView => ({
    mountPoint: '/home/ada/a-mount-point/of-a-rather-long/name/svc',
    nowMs: NOW_MS,
    status: SAMPLES[2]?.status as MountStatus,
    activity: activityOf(SAMPLES),
    slow: [EVENT, { ...EVENT, path: '/a\n', ms: 20 }],
    sort: 'rate',
    paused: false,
    failure: undefined,
    ...given,
  });

  it.each([
    { width: 80, height: 24 },
    { width: 40, height: 24 },
    { width: 200, height: 60 },
    { width: 20, height: 5 },
  ])('fits in $width × $height', ({ width, height }) => {
    const lines = drawTop(view(), { width, height });
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(lines.filter((line) => [...line].length > width)).toEqual([]);
  });

  it('has operations beside programs in 80 columns', () => {
    const text = drawTop(view(), { width: 80, height: 24 }).join('\n');
    expect(text).toMatch(/^svcfs top \/home\S+\/svc +12:00:00\nanswers\nread 2 MiB\/s /);
    expect(text).toMatch(/^OPERATION +\/S +P50 +P99 +FAILED +REQUESTS OF +PID +\/S +5 MIN$/m);
    expect(text).toMatch(/^read +50 +\d+ ms +\d+ ms +- +samtools +812 +8 +16$/m);
    expect(text).toMatch(/^unlink +1 .* 1 +cat +2× +2 +4$/m);
    expect(text).toMatch(/^ 120 ms {2}read +samtools\[812\] \/projects\/demo\/\S+child\.bam$/m);
    expect(text).toContain('/a\\x0a');
  });

  it('has them one above the other in 40 columns, whole', () => {
    const text = drawTop(view(), { width: 40, height: 24 }).join('\n');
    expect(text).toMatch(/^svcfs top \/home\S*…\S+svc +12:00:00\n/);
    expect(text).toMatch(/^OPERATION +\/S +P50 +P99 +FAILED$/m);
    expect(text).toMatch(/^samtools +812 +8 +16$/m);
    expect(text).toMatch(/^ 120 ms {2}read +\/proj\S*…\S+bam$/m);
  });

  it('is sorted as was asked for, and says that it is paused, or why nothing new comes', () => {
    const names = (sort: TopView['sort']) =>
      drawTop(view({ sort }), { width: 40, height: 24 })
        .filter((line) => /^(read|lookup|unlink) {2,}\d+ /.test(line))
        .map((line) => line.split(' ')[0]);
    expect(names('rate')).toEqual(['read', 'unlink', 'lookup']);
    expect(names('name')).toEqual(['lookup', 'read', 'unlink']);
    expect(names('p99')).toEqual(['read', 'unlink', 'lookup']);
    const [first, second] = drawTop(view({ paused: true, failure: 'its process is stopped' }), {
      width: 80,
      height: 24,
    });
    expect(first).toMatch(/ paused 12:00:00$/);
    expect(second).toBe('! its process is stopped');
  });
});

it('slow paths are those of the last minute, each with its slowest operation', () => {
  const slow = new SlowPaths();
  for (const [path, ms] of [
    ['/a', 20],
    ['/b', 30],
    ['/a', 40],
    ['/a', 10],
  ] as const)
    slow.add({ ...EVENT, path, ms });
  const shown = (atMs: number) => slow.list(atMs).map(({ path, ms }) => [path, ms]);
  expect(shown(NOW_MS + 1000)).toEqual([
    ['/a', 40],
    ['/b', 30],
  ]);
  slow.add({ ...EVENT, path: '/b', ms: 15, atMs: NOW_MS + 60_000 });
  expect(shown(NOW_MS + 61_000)).toEqual([['/b', 15]]);
});
