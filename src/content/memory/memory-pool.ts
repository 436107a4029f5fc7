/**
 * The memory of the data path: one budget for cached blocks, parts on their way and reads from the spool, as buffers
 * that are used again (the first touch of a fresh page costs more than the copy into it, and what is dropped stays in
 * memory until the garbage collector finds it).
 *
 * Blocks come from an arena that grows up to the budget and is never given back, except to make room for what is larger
 * than its chunks: those buffers are kept by their size.
 *
 * Three ways to ask, by who waits:
 *  - `acquireNow`: a read a program waits for. It may overdraw the budget, because what it waits behind could be
 *    waiting for it; the kernel's request slots bound by how much. Not for what lies beyond the read.
 *  - `tryAcquire`: prefetch. Nothing within the budget: undefined.
 *  - `acquire`: a part to upload. Waits in turn; when no other part is held it is served even over the budget, so a
 *    budget smaller than one part slows the upload down and does not stop it.
 *
 * The cache keeps what nobody asked for; the pool takes it back through `reclaim`.
 */
import { Arena } from './arena.ts';
import { capacityFor, overdraftFor } from './capacity-for.ts';
import { allocateChunk, giveBackChunk } from './chunk.ts';

interface Waiter {
  readonly capacity: number;
  readonly resolve: (buffer: Buffer) => void;
}

/** Who holds memory that it can give up: releases about `bytes` to the pool; false when there is nothing. */
export type Reclaimer = (bytes: number) => boolean;

const MIB = 1024 * 1024;
const LARGEST_CHUNK = 8 * MIB;
/** What is evicted for one buffer, at most: small blocks scattered over all chunks are worth more than one large block. */
const EVICTED_PER_BYTE = 4;

export class MemoryPool {
  readonly limitBytes: number;
  readonly #arena: Arena;
  /** Larger than a chunk. */
  readonly #idle = new Map<number, Buffer[]>();
  readonly #patient = new Set<Buffer>();
  readonly #waiters: Waiter[] = [];
  /** Of buffers that are not the arena's. */
  #idleBytes = 0;
  #apartBytes = 0;
  #lentBytes = 0;
  #serving = false;
  #reclaim: Reclaimer = () => false;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
    this.#arena = new Arena(chunkFor(limitBytes));
  }

  /** Bytes held by buffers that are lent out, cached ones included. */
  get lentBytes(): number {
    return this.#lentBytes;
  }

  /** Up to this size, buffers are blocks of powers of two. */
  get largestBlockBytes(): number {
    return this.#arena.chunkBytes;
  }

  reclaimWith(reclaim: Reclaimer): void {
    this.#reclaim = reclaim;
  }

  /** A buffer of at least `sizeBytes`, whatever it held before still in it. */
  acquireNow(sizeBytes: number): Buffer {
    const capacity = this.#capacityFor(sizeBytes);
    return this.#within(capacity) ?? this.#allocateApart(overdraftFor(sizeBytes, this.#arena.chunkBytes));
  }

  tryAcquire(sizeBytes: number): Buffer | undefined {
    return this.#waiters.length > 0 ? undefined : this.#within(this.#capacityFor(sizeBytes));
  }

  async acquire(sizeBytes: number, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    const capacity = this.#capacityFor(sizeBytes);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
        this.serveWaiters();
      };
      const waiter: Waiter = {
        capacity,
        resolve: (buffer) => {
          signal.removeEventListener('abort', onAbort);
          this.#patient.add(buffer);
          resolve(buffer);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
      this.serveWaiters();
    });
  }

  release(buffer: Buffer): void {
    this.#patient.delete(buffer);
    this.#lentBytes -= buffer.length;
    if (this.#arena.owns(buffer)) this.#arena.give(buffer);
    else this.#releaseApart(buffer);
    this.serveWaiters();
  }

  /** To be called when something became reclaimable without being released. */
  serveWaiters(): void {
    if (this.#serving) return;
    this.#serving = true;
    try {
      this.#serveInTurn();
    } finally {
      this.#serving = false;
    }
  }

  #serveInTurn(): void {
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      const buffer =
        this.#within(next.capacity) ??
        (this.#patient.size === 0 ? this.#allocateApart(next.capacity) : undefined);
      if (buffer === undefined) return;
      this.#waiters.shift();
      next.resolve(buffer);
    }
  }

  #capacityFor(sizeBytes: number): number {
    return capacityFor(sizeBytes, this.#arena.chunkBytes);
  }

  #within(capacity: number): Buffer | undefined {
    let evicted = 0;
    for (;;) {
      const buffer = capacity > this.#arena.chunkBytes ? this.#large(capacity) : this.#block(capacity);
      if (buffer !== undefined || evicted >= capacity * EVICTED_PER_BYTE || !this.#reclaim(capacity))
        return buffer;
      evicted += capacity;
    }
  }

  #block(capacity: number): Buffer | undefined {
    const arena = this.#arena;
    let block = arena.take(capacity);
    if (block === undefined && this.#makeRoom(arena.chunkBytes)) {
      arena.grow();
      block = arena.take(capacity);
    }
    if (block === undefined && arena.reservedBytes > 0) {
      arena.join();
      block = arena.take(capacity);
    }
    if (block !== undefined) this.#lentBytes += capacity;
    return block;
  }

  #large(capacity: number): Buffer | undefined {
    const buffer = this.#idle.get(capacity)?.pop();
    if (buffer !== undefined) {
      this.#idleBytes -= capacity;
      this.#apartBytes += capacity;
      this.#lentBytes += capacity;
      return buffer;
    }
    if (this.#makeRoom(capacity)) return this.#allocateApart(capacity);
    this.#arena.join();
    this.#arena.shrink(capacity - this.#unreservedBytes);
    return this.#makeRoom(capacity) ? this.#allocateApart(capacity) : undefined;
  }

  /** Whether so many bytes more would be within the budget; drops what is kept of other sizes for it. */
  #makeRoom(bytes: number): boolean {
    if (this.#unreservedBytes < bytes && this.#unreservedBytes + this.#idleBytes >= bytes) this.#dropIdle();
    return this.#unreservedBytes >= bytes;
  }

  get #unreservedBytes(): number {
    return this.limitBytes - this.#arena.reservedBytes - this.#apartBytes - this.#idleBytes;
  }

  #allocateApart(capacity: number): Buffer {
    this.#apartBytes += capacity;
    this.#lentBytes += capacity;
    return allocateChunk(capacity);
  }

  #releaseApart(buffer: Buffer): void {
    this.#apartBytes -= buffer.length;
    if (buffer.length <= this.#arena.chunkBytes || this.#unreservedBytes < buffer.length) {
      giveBackChunk(buffer);
      return;
    }
    const sameSize = this.#idle.get(buffer.length);
    if (sameSize === undefined) this.#idle.set(buffer.length, [buffer]);
    else sameSize.push(buffer);
    this.#idleBytes += buffer.length;
  }

  #dropIdle(): void {
    for (const buffers of this.#idle.values()) buffers.forEach(giveBackChunk);
    this.#idle.clear();
    this.#idleBytes = 0;
  }
}

/** So that a small budget still is many chunks. */
function chunkFor(limitBytes: number): number {
  let chunk = MIB;
  while (chunk < LARGEST_CHUNK && chunk * 16 <= limitBytes) chunk *= 2;
  return chunk;
}
