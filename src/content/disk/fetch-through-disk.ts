import type { ByteRange } from './byte-range.ts';
import type { CachedVersion } from './cached-version.ts';
import type { DiskCache } from './disk-cache.ts';

type Fetch = (offset: number, into: Uint8Array, signal: AbortSignal) => Promise<void>;

export interface ThroughDiskOptions {
  /** Undefined: everything comes from the service. */
  readonly disk: DiskCache | undefined;
  /** Undefined: not known yet. Asked for anew after each fetch, whose answer may have told. */
  readonly version: () => CachedVersion | undefined;
  /** From the service. */
  readonly fetch: Fetch;
}

/** The bytes are there. */
interface FetchedThroughDisk {
  /** They are being written: they must stay as they are until this settles, and it never rejects. */
  readonly inUse: Promise<void> | undefined;
}

/** Fetches from the disk what is there, the rest from the service, and keeps that on the disk. */
export function fetchThroughDisk({
  disk,
  version,
  fetch,
}: ThroughDiskOptions): (
  offset: number,
  into: Uint8Array,
  signal: AbortSignal,
) => Promise<FetchedThroughDisk> {
  return async (offset, into, signal) => {
    const known = version();
    const missing = known ? await disk?.read(known, offset, into) : undefined;
    signal.throwIfAborted();
    const ranges = missing ?? [{ start: 0, end: into.length }];
    await allSettled(ranges, ({ start, end }) => fetch(offset + start, into.subarray(start, end), signal));
    const found = known ?? version();
    if (disk === undefined || found === undefined) return { inUse: undefined };
    const writes = ranges.flatMap(
      ({ start, end }) => disk.keep(found, offset + start, into.subarray(start, end)) ?? [],
    );
    return { inUse: writes.length === 0 ? undefined : Promise.all(writes).then(() => undefined) };
  };
}

/** As `Promise.all`, but a failure is told when nobody writes into the memory any more. */
async function allSettled(
  ranges: readonly ByteRange[],
  work: (range: ByteRange) => Promise<void>,
): Promise<void> {
  for (const result of await Promise.allSettled(ranges.map(work))) {
    if (result.status === 'rejected') throw result.reason;
  }
}
