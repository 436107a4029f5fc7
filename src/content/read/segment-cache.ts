/**
 * The block cache. Content is laid on a grid of 16 KiB blocks; what is fetched and evicted as one is a *segment*: a
 * run of blocks that one range request brought, in one buffer. So an index-driven reader costs ranges of the size it
 * asks for (a BGZF block is at most 64 KiB), a sequential one costs ranges of megabytes, and both share one budget.
 *
 * Segments of a source never overlap: only the gaps between them are ever fetched. A segment is in its source's index
 * from the moment its fetch starts, which makes identical ranges in flight shared ranges. While it is pinned (lent to a
 * reply, or being waited for) or loading it is not in the LRU and cannot be evicted. A fetch that fails takes its
 * segment out of the index, so the next reader tries anew.
 *
 * A segment whose every byte was lent is *spent*: the kernel has its pages, and will hardly ask again. Few of those are
 * kept, and only until their memory is wanted. So a stream goes round in little memory, which is warm, and pushes out
 * nothing that others come back to.
 */
import { LRUCache } from 'lru-cache';
import type { WaitingBody } from '../../api/storage-client.ts';
import type { FetchRange } from '../fetch-range.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { Segment } from './segment.ts';
import { BLOCK_BYTES, type SegmentIndex } from './segment-index.ts';

interface Load {
  readonly index: SegmentIndex;
  readonly offset: number;
  readonly end: number;
  readonly fetch: FetchRange;
  /** The bytes may wait in their socket, to be handed on from there. */
  readonly mayWait?: boolean;
  readonly sinceMs?: number | undefined;
}

type How = Pick<Load, 'fetch' | 'mayWait' | 'sinceMs'>;

/** Counters of the block cache. */
export interface CacheStatistics {
  /** Reads all of whose bytes were there. */
  readonly hits: number;
  readonly misses: number;
  readonly cachedBytes: number;
  /** Asked of the store, ahead of readers included. */
  readonly fetchedBytes: number;
  /** Handed to readers, those below included. */
  readonly readBytes: number;
  /** Handed on to the kernel from the sockets they came over. */
  readonly splicedBytes: number;
}

const LARGEST_SPENT_BYTES = 16 * 1024 * 1024;
const SPENT_SHARE = 1 / 16;
/** Of those kept although new memory is taken: the kernel may ask again for the pages just behind a stream. */
const ASKED_AGAIN_SHARE = 1 / 4;

export class SegmentCache {
  readonly #pool: MemoryPool;
  readonly #homes = new WeakMap<Segment, SegmentIndex>();
  /** Fetches to be stopped, of segments some of which is still to come. */
  readonly #loading = new Map<Segment, AbortController>();
  readonly #unused: LRUCache<Segment, Segment>;
  /** Those of `#unused` that are spent, oldest first. */
  readonly #spent = new Set<Segment>();
  readonly #spentLimitBytes: number;
  #spentBytes = 0;
  #hits = 0;
  #misses = 0;
  #cachedBytes = 0;
  #fetchedBytes = 0;
  #splicedBytes = 0;
  #readBytes = 0;

  constructor(pool: MemoryPool) {
    this.#pool = pool;
    this.#spentLimitBytes = Math.min(LARGEST_SPENT_BYTES, pool.limitBytes * SPENT_SHARE);
    this.#unused = new LRUCache({
      max: Math.max(1, Math.ceil(pool.limitBytes / BLOCK_BYTES)),
      // After it is out: memory that is given back may at once serve one who waits for more, and evicts the next.
      disposeAfter: (segment, _, reason) => {
        if (reason === 'evict') this.#giveUp(segment);
      },
    });
    pool.reclaimWith(
      (bytes) => this.#evict(bytes),
      (bytes) => this.#giveUpSpent(bytes),
    );
  }

  get statistics(): CacheStatistics {
    return {
      hits: this.#hits,
      misses: this.#misses,
      cachedBytes: this.#cachedBytes,
      fetchedBytes: this.#fetchedBytes,
      splicedBytes: this.#splicedBytes,
      readBytes: this.#readBytes,
    };
  }

  countRead(found: boolean, bytes: number): void {
    this.#readBytes += bytes;
    if (found) this.#hits += 1;
    else this.#misses += 1;
  }

  countSpliced(bytes: number, reads: number): void {
    this.#hits += reads;
    this.#splicedBytes += bytes;
    this.#readBytes += bytes;
  }

  /** Starts to fetch a gap for a reader that waits up to `demandEnd`; when memory is short, no further. */
  load(load: Load, demandEnd: number): Segment {
    const ahead = load.end > demandEnd ? this.tryLoad(load) : undefined;
    if (ahead !== undefined) return ahead;
    const end = Math.min(load.end, demandEnd);
    return this.#start({ ...load, end }, this.#pool.acquireNow(end - load.offset));
  }

  /** Starts to fetch a gap ahead of the reader; undefined when memory is short. */
  tryLoad(load: Load): Segment | undefined {
    const buffer = this.#pool.tryAcquire(load.end - load.offset);
    return buffer && this.#start(load, buffer);
  }

  pin(segment: Segment): void {
    segment.pins += 1;
    if (this.#unused.delete(segment)) this.#keepUnspent(segment);
  }

  unpin(segment: Segment): void {
    segment.pins -= 1;
    this.#settle(segment);
  }

  /** Its reader is gone: stops a fetch ahead that nobody else waits for. */
  abandon(segment: Segment): void {
    const fetching = this.#loading.get(segment);
    if (fetching === undefined || segment.pins > 0) return;
    this.#forget(segment);
    fetching.abort();
  }

  #start({ index, offset, end, ...how }: Load, buffer: Buffer): Segment {
    const segment = new Segment(offset, end, buffer);
    this.#cachedBytes += buffer.length;
    this.#fetchedBytes += end - offset;
    index.add(segment);
    this.#homes.set(segment, index);
    segment.settled = this.#fill(segment, how);
    return segment;
  }

  /** Never rejects: the segment tells the readers that wait for bytes. */
  async #fill(segment: Segment, { fetch, mayWait = false, sinceMs }: How): Promise<void> {
    const onProgress = (bytes: number): void => segment.filled(bytes);
    const onWaiting = mayWait ? (body: WaitingBody): void => segment.waits(body) : undefined;
    const fetching = new AbortController();
    this.#loading.set(segment, fetching);
    try {
      const { signal } = fetching;
      const into = segment.buffer.subarray(0, segment.sizeBytes);
      const { inUse } = await fetch(segment.offset, into, { signal, onProgress, onWaiting, sinceMs });
      if (inUse !== undefined) this.#pinUntil(segment, inUse);
      segment.filled(segment.sizeBytes);
    } catch (error) {
      this.#forget(segment);
      segment.failed(error);
    }
    this.#loading.delete(segment);
    segment.loaded();
    this.#settle(segment);
  }

  #pinUntil(segment: Segment, done: Promise<void>): void {
    this.pin(segment);
    void done.then(() => this.unpin(segment));
  }

  /** Where a segment that is neither pinned nor loading belongs: in the LRU, or, when forgotten, back in the pool. */
  #settle(segment: Segment): void {
    if (segment.pins > 0 || this.#loading.has(segment)) return;
    if (!this.#homes.has(segment)) {
      this.#release(segment);
      return;
    }
    if (segment.isEmpty) {
      this.#giveUp(segment);
      return;
    }
    this.#unused.set(segment, segment);
    if (segment.isSpent) this.#spend(segment);
    this.#pool.serveWaiters();
  }

  #spend(segment: Segment): void {
    this.#spent.add(segment);
    this.#spentBytes += segment.buffer.length;
    for (const oldest of this.#spent) {
      if (this.#spentBytes <= this.#spentLimitBytes) return;
      this.#unused.delete(oldest);
      this.#giveUp(oldest);
    }
  }

  /** The oldest first; about `bytes` of them. */
  #giveUpSpent(bytes: number): boolean {
    const keptBytes = this.#spentLimitBytes * ASKED_AGAIN_SHARE;
    let freed = 0;
    for (const oldest of this.#spent) {
      const { length } = oldest.buffer;
      if (freed >= bytes || this.#spentBytes - length < keptBytes) break;
      freed += length;
      this.#unused.delete(oldest);
      this.#giveUp(oldest);
    }
    return freed > 0;
  }

  #keepUnspent(segment: Segment): void {
    if (this.#spent.delete(segment)) this.#spentBytes -= segment.buffer.length;
  }

  #forget(segment: Segment): void {
    this.#homes.get(segment)?.remove(segment);
    this.#homes.delete(segment);
  }

  #evict(bytes: number): boolean {
    let freed = 0;
    while (freed < bytes) {
      const segment = this.#unused.pop();
      if (segment === undefined) break;
      freed += segment.buffer.length;
    }
    return freed > 0;
  }

  #giveUp(segment: Segment): void {
    this.#keepUnspent(segment);
    this.#forget(segment);
    this.#release(segment);
  }

  #release({ buffer }: Segment): void {
    this.#cachedBytes -= buffer.length;
    this.#pool.release(buffer);
  }
}
