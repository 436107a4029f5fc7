import type { Segment } from './segment.ts';

/** The grid that segments are aligned to. */
export const BLOCK_BYTES = 16 * 1024;

/** Few lookups for a large segment, few segments to a bucket of small ones. */
const BUCKET_BYTES = 1024 * 1024;

/** Which segment holds (or will hold) each byte of one source. Segments do not overlap. */
export class SegmentIndex {
  /** By its number, the segments that have a byte in the bucket, in no order. */
  readonly #buckets = new Map<number, Segment[]>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get empty(): boolean {
    return this.#buckets.size === 0;
  }

  at(offset: number): Segment | undefined {
    const segments = this.#buckets.get(bucketOf(offset));
    return segments?.find((segment) => segment.front <= offset && offset < segment.end);
  }

  /** Where the gap around `offset` is fetched from: its block, or what is left of that by a segment, which may end anywhere. */
  gapStart(offset: number): number {
    let start = Math.floor(offset / BLOCK_BYTES) * BLOCK_BYTES;
    for (const { end } of this.#buckets.get(bucketOf(offset)) ?? [])
      if (end <= offset && end > start) start = end;
    return start;
  }

  /** Where the gap that begins at `offset` ends: at the next segment or at `limit`. */
  gapEnd(offset: number, limit: number): number {
    let end = limit;
    // A front may have moved on from the bucket that its segment is found in.
    for (let bucket = bucketOf(offset); bucket * BUCKET_BYTES < end; bucket++) {
      for (const { front } of this.#buckets.get(bucket) ?? []) if (front > offset && front < end) end = front;
    }
    return end;
  }

  add(segment: Segment): void {
    for (let bucket = bucketOf(segment.offset); bucket * BUCKET_BYTES < segment.end; bucket++) {
      const segments = this.#buckets.get(bucket);
      if (segments === undefined) this.#buckets.set(bucket, [segment]);
      else segments.push(segment);
    }
  }

  remove(segment: Segment): void {
    for (let bucket = bucketOf(segment.offset); bucket * BUCKET_BYTES < segment.end; bucket++) {
      const left = this.#buckets.get(bucket)?.filter((each) => each !== segment);
      if (left?.length) this.#buckets.set(bucket, left);
      else this.#buckets.delete(bucket);
    }
    if (this.empty) this.#onEmpty();
  }
}

function bucketOf(offset: number): number {
  return Math.floor(offset / BUCKET_BYTES);
}
