/**
 * Durations counted in buckets, each twice as wide as the one before: 16 µs, 32 µs, … 134 s, and one for all above. A
 * duration is added to numbers that are there already, so that counting costs nanoseconds and no memory.
 */

/** The first bucket ends at 2^4 µs. */
const FIRST_EXPONENT = 4;
const BOUNDED = 24;

/** Upper ends of the buckets, in milliseconds; the last is infinite. */
export const BUCKET_ENDS_MS: readonly number[] = [
  ...Array.from({ length: BOUNDED }, (_, index) => 2 ** (FIRST_EXPONENT + index) / 1000),
  Number.POSITIVE_INFINITY,
];

/**
 * How many durations each bucket has, without those before it, by its upper end in milliseconds (`0.016`, … `Infinity`).
 * Empty buckets are left out.
 */
export type Buckets = Readonly<Record<string, number>>;

export interface DurationsSnapshot {
  readonly count: number;
  /** The sum of all. */
  readonly ms: number;
  readonly buckets: Buckets;
}

export class Durations {
  readonly #counts = new Float64Array(BUCKET_ENDS_MS.length);
  #count = 0;
  #ms = 0;

  add(ms: number): void {
    const bucket = bucketOf(ms);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#ms += ms;
  }

  snapshot(): DurationsSnapshot {
    const buckets: Record<string, number> = {};
    for (const [index, count] of this.#counts.entries()) {
      if (count > 0) buckets[String(BUCKET_ENDS_MS[index])] = count;
    }
    return { count: this.#count, ms: Math.round(this.#ms * 1000) / 1000, buckets };
  }
}

/** The upper end belongs to its bucket, as in Prometheus. */
function bucketOf(ms: number): number {
  const microseconds = Math.ceil(ms * 1000);
  if (microseconds >= 2 ** 31) return BOUNDED;
  const exponent = 32 - Math.clz32(Math.max(microseconds - 1, 0));
  return Math.min(Math.max(exponent - FIRST_EXPONENT, 0), BOUNDED);
}

/** What was added between two snapshots. */
export function bucketsSince(later: Buckets, earlier: Buckets): Buckets {
  return Object.fromEntries(
    Object.entries(later).flatMap(([end, count]) => {
      const added = count - (earlier[end] ?? 0);
      return added > 0 ? [[end, added]] : [];
    }),
  );
}

/**
 * The duration, in milliseconds, that `share` (0 to 1) of all do not exceed: right to the width of a bucket, in which they are
 * taken as evenly spread. Undefined when there are none. Of the last bucket only its lower end is known.
 */
export function quantile(buckets: Buckets, share: number): number | undefined {
  const total = Object.values(buckets).reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let before = 0;
  for (const [index, end] of BUCKET_ENDS_MS.entries()) {
    const count = buckets[String(end)] ?? 0;
    if (count > 0 && before + count >= share * total) {
      const begin = BUCKET_ENDS_MS[index - 1] ?? 0;
      if (end === Number.POSITIVE_INFINITY) return begin;
      return begin + (end - begin) * Math.max((share * total - before) / count, 0);
    }
    before += count;
  }
  return undefined;
}
