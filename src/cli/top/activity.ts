import { type Buckets, bucketsSince, quantile } from '../../observe/durations.ts';
import type { MountStatus } from '../mount/control-messages.ts';

/** The state of a mount, counted since it began, and the time of the question. */
export interface TopSample {
  /** On a clock that nobody sets. */
  readonly atMs: number;
  readonly status: MountStatus;
}

export interface OperationActivity {
  /** Name of the kernel's request, in small letters. */
  readonly name: string;
  readonly perSecond: number;
  /** Undefined: there was none. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly failed: number;
}

/** All processes of one name: a loop in a shell starts hundreds. */
export interface ProgramActivity {
  readonly command: string;
  /** Their ids, the one that asked for most first; 0 is svcfs itself. */
  readonly processes: readonly number[];
  readonly perSecond: number;
  /** Requests of the last five minutes. */
  readonly recent: number;
}

/** The activity on a mount: rates of the last interval, durations of the last seconds. */
export interface Activity {
  /** Bytes a second. */
  readonly bytes: Readonly<Record<'read' | 'written' | 'fetched' | 'sent', number>>;
  readonly requestsPerSecond: number;
  /** 0 to 1 of the reads in the interval; undefined: there was none. */
  readonly hits: number | undefined;
  readonly readsPerSecond: number;
  readonly operations: readonly OperationActivity[];
  readonly programs: readonly ProgramActivity[];
}

/** @param samples Oldest first, at least two: rates are those between the last two, durations those since the first. */
export function activityOf(samples: readonly TopSample[]): Activity {
  const [first, last] = [samples.at(0), samples.at(-1)];
  const before = samples.at(-2);
  if (first === undefined || last === undefined || before === undefined)
    throw new Error('there is no activity between fewer than two samples');
  const seconds = Math.max((last.atMs - before.atMs) / 1000, 0.001);
  const [now, then] = [last.status.statistics, before.status.statistics];
  const rate = (of: (sample: MountStatus) => number): number =>
    Math.max(0, of(last.status) - of(before.status)) / seconds;
  const hits = now.cache.hits - then.cache.hits;
  const reads = hits + now.cache.misses - then.cache.misses;
  return {
    bytes: {
      read: rate(({ statistics }) => statistics.cache.readBytes),
      written: rate(({ statistics }) => statistics.spool.writtenBytes),
      fetched: rate(({ statistics }) => statistics.stores.range.bytes),
      sent: rate(sentBytesOf),
    },
    requestsPerSecond: rate(({ statistics }) => sum(Object.values(statistics.api.calls))),
    hits: reads > 0 ? hits / reads : undefined,
    readsPerSecond: Math.max(0, reads) / seconds,
    operations: operationsOf(first, before, last, seconds),
    programs: programsOf(before, last, seconds),
  };
}

/** Parts that stores have taken, and what has left this machine of those under way. */
function sentBytesOf({ statistics, uploads }: MountStatus): number {
  const underWay = uploads.map(({ sentBytes, storedBytes }) => sentBytes - storedBytes);
  return statistics.stores.part.bytes + sum(underWay);
}

function operationsOf(
  first: TopSample,
  before: TopSample,
  last: TopSample,
  seconds: number,
): readonly OperationActivity[] {
  const of = ({ status }: TopSample, name: string) => status.statistics.operations[name];
  return Object.entries(last.status.statistics.operations).flatMap(([name, now]) => {
    const added = bucketsSince(now.buckets, of(first, name)?.buckets ?? {});
    if (sum(Object.values(added)) === 0) return [];
    return [
      {
        name: name.toLowerCase(),
        perSecond: (now.answered - (of(before, name)?.answered ?? 0)) / seconds,
        ...durationsOf(added),
        failed: now.failed - (of(first, name)?.failed ?? 0),
      },
    ];
  });
}

function durationsOf(buckets: Buckets): Pick<OperationActivity, 'p50Ms' | 'p99Ms'> {
  return { p50Ms: quantile(buckets, 0.5), p99Ms: quantile(buckets, 0.99) };
}

function programsOf(before: TopSample, last: TopSample, seconds: number): readonly ProgramActivity[] {
  const earlier = new Map(before.status.statistics.programs.map((each) => [each.process, each.requests]));
  const spent = last.status.statistics.programs.filter(({ recent }) => recent > 0);
  const commands = [...new Set(spent.map(({ command }) => command))];
  return commands
    .map((command) => ({ command, programs: spent.filter((each) => each.command === command) }))
    .map(({ command, programs }) => ({
      command,
      processes: programs.map(({ process }) => process),
      perSecond:
        sum(programs.map(({ process, requests }) => requests - (earlier.get(process) ?? 0))) / seconds,
      recent: sum(programs.map(({ recent }) => recent)),
    }))
    .toSorted((a, b) => b.perSecond - a.perSecond || b.recent - a.recent);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
