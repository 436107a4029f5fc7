import type { Clock } from '../../lib/clock.ts';
import { type Buckets, bucketsSince, quantile } from '../../observe/durations.ts';
import { History, type Sample, type Samples } from '../../observe/history.ts';
import type { MountStatistics } from './mount-statistics.ts';

/** Bytes and counts a second, milliseconds, bytes; what is left of the request limit. */
const SERIES = [
  'downRate',
  'upRate',
  'operations',
  'requests',
  'medianMs',
  'slowMs',
  'requestsLeft',
  'memoryBytes',
  'cachedBytes',
] as const;

type Series = (typeof SERIES)[number];
export type MountSample = Sample<Series>;
export type MountSamples = Samples<Series>;

const EVERY_MS = 10_000;
/** An hour of them. */
const LENGTH = 360;

/** What the charts need of the statistics of a moment. */
export type Counted = Pick<
  MountStatistics,
  'api' | 'cache' | 'diskCache' | 'memory' | 'uploads' | 'operations'
>;

/** The last hour of a mount, by a look every ten seconds. */
export class MountHistory {
  readonly #history = new History(SERIES, LENGTH);
  readonly #timer: NodeJS.Timeout;

  constructor(statistics: () => Counted, clock: Clock) {
    let before = { counted: statistics(), monotonicMs: clock.monotonic() };
    this.#timer = setInterval(() => {
      const now = { counted: statistics(), monotonicMs: clock.monotonic() };
      const seconds = (now.monotonicMs - before.monotonicMs) / 1000;
      if (seconds <= 0) return;
      this.#history.add(clock.now(), sampleOf(before.counted, now.counted, seconds));
      before = now;
    }, EVERY_MS);
    this.#timer.unref();
  }

  since(ms: number): MountSamples {
    return this.#history.since(ms);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** The sample of a span of time, by the statistics at its beginning and at its end. */
export function sampleOf(before: Counted, after: Counted, seconds: number): MountSample {
  const { window } = after.api.rate;
  const durations = durationsSince(before.operations, after.operations);
  return {
    downRate: grown(after.cache.fetchedBytes, before.cache.fetchedBytes) / seconds,
    upRate: grown(after.uploads.sentBytes, before.uploads.sentBytes) / seconds,
    operations: grown(answeredOf(after), answeredOf(before)) / seconds,
    requests: grown(requestsOf(after), requestsOf(before)) / seconds,
    medianMs: quantile(durations, 0.5) ?? null,
    slowMs: quantile(durations, 0.99) ?? null,
    requestsLeft: window === undefined || window === 'unlimited' ? null : window.remaining,
    memoryBytes: after.memory.heldBytes,
    cachedBytes: after.diskCache?.cachedBytes ?? null,
  };
}

/** A counter only grows, but for bytes on their way that were lost with their connection. */
function grown(after: number, before: number): number {
  return Math.max(0, after - before);
}

function answeredOf({ operations }: Counted): number {
  return Object.values(operations).reduce((sum, { answered }) => sum + answered, 0);
}

function requestsOf({ api }: Counted): number {
  return Object.values(api.calls).reduce((sum, count) => sum + count, 0);
}

/** Of all operations together, those of this span. */
function durationsSince(before: Counted['operations'], after: Counted['operations']): Buckets {
  const all: Record<string, number> = {};
  for (const [operation, { buckets }] of Object.entries(after)) {
    const added = bucketsSince(buckets, before[operation]?.buckets ?? {});
    for (const [end, count] of Object.entries(added)) all[end] = (all[end] ?? 0) + count;
  }
  return all;
}
