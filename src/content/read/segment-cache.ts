/**
 * The block cache. Content is laid on a grid of 16 KiB blocks; what is fetched and evicted as one is a *segment*: a
 * run of blocks that one range request brought, in one buffer. So an index-driven reader costs ranges of the size it
 * asks for (a BGZF block is at most 64 KiB), a sequential one costs ranges of megabytes, and both share one budget.
 *
 * Segments of a source never overlap: only the gaps between them are ever fetched. A segment is in its source's index
 * from the moment its fetch starts, which makes identical ranges in flight shared ranges. While it is pinned (lent to a
 * reply, or being waited for) or loading it is not in the LRU and cannot be evicted. A fetch that fails takes its
 * segment out of the index, so the next reader tries anew.
 */
import { LRUCache } from 'lru-cache';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { Segment } from './segment.ts';
import { BLOCK_BYTES, type SegmentIndex } from './segment-index.ts';

/** The bytes are there. */
export interface Fetched {
  /** Someone reads them still: they must stay as they are until this settles, and it never rejects. */
  readonly inUse: Promise<void> | undefined;
}

/** Fills `into` with the source's bytes from `offset` on. */
export type FetchRange = (offset: number, into: Uint8Array, signal: AbortSignal) => Promise<Fetched>;

interface Load {
  readonly index: SegmentIndex;
  readonly offset: number;
  readonly end: number;
  readonly fetch: FetchRange;
}

/** What the block cache did for readers. */
export interface CacheStatistics {
  /** Reads all of whose bytes were there. */
  readonly hits: number;
  readonly misses: number;
  readonly cachedBytes: number;
  /** Asked of the store, ahead of readers included. */
  readonly fetchedBytes: number;
}

export class SegmentCache {
  readonly #pool: MemoryPool;
  readonly #homes = new WeakMap<Segment, SegmentIndex>();
  readonly #unused: LRUCache<Segment, Segment>;
  #hits = 0;
  #misses = 0;
  #cachedBytes = 0;
  #fetchedBytes = 0;

  constructor(pool: MemoryPool) {
    this.#pool = pool;
    this.#unused = new LRUCache({
      max: Math.max(1, Math.ceil(pool.limitBytes / BLOCK_BYTES)),
      dispose: (segment, _, reason) => {
        if (reason === 'evict') this.#giveUp(segment);
      },
    });
    pool.reclaimWith((bytes) => this.#evict(bytes));
  }

  get statistics(): CacheStatistics {
    return {
      hits: this.#hits,
      misses: this.#misses,
      cachedBytes: this.#cachedBytes,
      fetchedBytes: this.#fetchedBytes,
    };
  }

  countRead(found: boolean): void {
    if (found) this.#hits += 1;
    else this.#misses += 1;
  }

  /** Starts to fetch a gap for a reader that waits. */
  load(load: Load): Segment {
    return this.#start(load, this.#pool.acquireNow(load.end - load.offset));
  }

  /** Starts to fetch a gap ahead of the reader; undefined when memory is short. */
  tryLoad(load: Load): Segment | undefined {
    const buffer = this.#pool.tryAcquire(load.end - load.offset);
    return buffer && this.#start(load, buffer);
  }

  pin(segment: Segment): void {
    segment.pins += 1;
    this.#unused.delete(segment);
  }

  unpin(segment: Segment): void {
    segment.pins -= 1;
    this.#settle(segment);
  }

  /** Its reader is gone: stops a fetch ahead that nobody else waits for. */
  abandon(segment: Segment): void {
    if (segment.loading === undefined || segment.pins > 0) return;
    this.#forget(segment);
    segment.abort.abort();
  }

  #start({ index, offset, end, fetch }: Load, buffer: Buffer): Segment {
    const segment = new Segment(offset, end, buffer);
    this.#cachedBytes += buffer.length;
    this.#fetchedBytes += end - offset;
    index.add(segment);
    this.#homes.set(segment, index);
    segment.loading = this.#fill(segment, fetch);
    segment.loading.catch(() => {});
    return segment;
  }

  async #fill(segment: Segment, fetch: FetchRange): Promise<void> {
    try {
      const { inUse } = await fetch(
        segment.offset,
        segment.buffer.subarray(0, segment.end - segment.offset),
        segment.abort.signal,
      );
      if (inUse !== undefined) this.#pinUntil(segment, inUse);
    } catch (error) {
      this.#forget(segment);
      throw error;
    } finally {
      segment.loading = undefined;
      this.#settle(segment);
    }
  }

  #pinUntil(segment: Segment, settled: Promise<void>): void {
    this.pin(segment);
    void settled.then(() => this.unpin(segment));
  }

  /** Where a segment that is neither pinned nor loading belongs: in the LRU, or, when forgotten, back in the pool. */
  #settle(segment: Segment): void {
    if (segment.pins > 0 || segment.loading !== undefined) return;
    if (this.#homes.has(segment)) {
      this.#unused.set(segment, segment);
      this.#pool.serveWaiters();
    } else {
      this.#release(segment);
    }
  }

  #forget(segment: Segment): void {
    this.#homes.get(segment)?.remove(segment);
    this.#homes.delete(segment);
  }

  #evict(bytes: number): void {
    let freed = 0;
    while (freed < bytes) {
      const segment = this.#unused.pop();
      if (segment === undefined) return;
      freed += segment.buffer.length;
    }
  }

  #giveUp(segment: Segment): void {
    this.#forget(segment);
    this.#release(segment);
  }

  #release({ buffer }: Segment): void {
    this.#cachedBytes -= buffer.length;
    this.#pool.release(buffer);
  }
}
