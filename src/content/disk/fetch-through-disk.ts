import type { ByteRange } from '../byte-range.ts';
import type { FetchRange } from '../fetch-range.ts';
import type { CachedVersion } from './cached-version.ts';
import type { DiskCache } from './disk-cache.ts';

export interface ThroughDiskOptions {
  readonly disk: DiskCache;
  /** Undefined: not known yet. Asked for anew after each fetch, whose answer may have told. */
  readonly version: () => CachedVersion | undefined;
  /** From the service. */
  readonly fetch: FetchRange;
}

/** Fetches from the disk what is there, the rest from the service, and keeps that on the disk. */
export function fetchThroughDisk({ disk, version, fetch }: ThroughDiskOptions): FetchRange {
  return async (offset, into, { signal, onProgress, sinceMs }) => {
    const known = version();
    const missing = known ? await disk.read(known, offset, into) : undefined;
    signal.throwIfAborted();
    const ranges = missing ?? [{ start: 0, end: into.length }];
    const progress = new Progress(ranges, into.length);
    await allSettled(ranges, (range) =>
      fetch(offset + range.start, into.subarray(range.start, range.end), {
        signal,
        sinceMs,
        onProgress: onProgress && ((bytes) => onProgress(progress.after(range, bytes))),
      }),
    );
    const found = known ?? version();
    if (found === undefined) return {};
    const writes = ranges.flatMap(
      ({ start, end }) => disk.keep(found, offset + start, into.subarray(start, end)) ?? [],
    );
    return writes.length === 0 ? {} : { inUse: Promise.all(writes).then(() => undefined) };
  };
}

/** As `Promise.all`, but a failure is told when nobody writes into the memory any more. */
async function allSettled(
  ranges: readonly ByteRange[],
  work: (range: ByteRange) => Promise<unknown>,
): Promise<void> {
  for (const result of await Promise.allSettled(ranges.map(work))) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/** How far the front of a buffer is filled whose missing ranges come side by side. */
class Progress {
  readonly #missing: readonly ByteRange[];
  readonly #filled = new Map<ByteRange, number>();
  readonly #sizeBytes: number;

  constructor(missing: readonly ByteRange[], sizeBytes: number) {
    this.#missing = missing;
    this.#sizeBytes = sizeBytes;
  }

  after(range: ByteRange, bytes: number): number {
    this.#filled.set(range, bytes);
    for (const missing of this.#missing) {
      const filledTo = missing.start + (this.#filled.get(missing) ?? 0);
      if (filledTo < missing.end) return filledTo;
    }
    return this.#sizeBytes;
  }
}
