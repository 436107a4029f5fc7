/**
 * The memory of the data path: one budget for cached blocks, parts on their way and reads from the spool. Buffers are
 * used again: the first touch of a fresh page costs more than the copy into it, and a dropped buffer stays in memory
 * until the garbage collector finds it.
 *
 * Blocks come from an arena that grows up to the budget, when neither free memory nor a block behind a stream can serve.
 * The arena gives memory back to make room for buffers larger than its chunks, which are kept by their size, and when nobody
 * asks for memory.
 *
 * There are three ways to ask, by the caller that waits:
 *
 * - `acquireNow`: a read that a program waits for. It may overdraw the budget, since the memory it would wait for could
 *   belong to work that waits for this read. The kernel's request slots bound the overdraft. It is not for bytes beyond
 *   the read.
 * - `tryAcquire`: prefetch. Undefined when the budget has no room.
 * - `acquire`: a part to upload. It waits in turn. When no other part is held it is served even over the budget, so a
 *   budget smaller than one part slows the upload down and does not stop it.
 *
 * The cache keeps blocks that no reader asked for yet, and some that streams have read; the pool takes them back through
 * `reclaimWith`.
 *
 * The machine may refuse memory (`ulimit -v`, vm.overcommit_memory=2). The pool then goes on with its present memory and
 * frees none of it. A caller that needs more gets a `ContentError`, kind `no-memory`.
 */
import { type Clock, systemClock } from '../../lib/clock.ts';
import { ContentError } from '../ports.ts';
import { Arena } from './arena.ts';
import { allocateChunk, giveBackChunk } from './chunk.ts';

interface Waiter {
  readonly capacity: number;
  readonly resolve: (buffer: Buffer) => void;
  readonly reject: (reason: ContentError) => void;
}

/** Where memory comes from. */
interface MemorySource {
  /** Throws when there is no more. */
  readonly allocate: (sizeBytes: number) => Buffer;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Releases about `bytes` of memory that it can give up to the pool; false when there is nothing. */
type Reclaimer = (bytes: number) => boolean;

const NOTHING: Reclaimer = () => false;

const MIB = 1024 * 1024;
const LARGEST_CHUNK = 8 * MIB;
/** So long after it was refused, memory within the budget is not asked for again: to be refused may take long. */
const REFUSED_FOR_MS = 1000;
const MACHINE: MemorySource = { allocate: allocateChunk, clock: systemClock };
/** The most that is evicted for one buffer: small blocks scattered over all chunks are worth more than one large block. */
const EVICTED_PER_BYTE = 4;

export class MemoryPool {
  readonly limitBytes: number;
  readonly #source: MemorySource;
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
  #freshBytes = 0;
  #wasAsked = false;
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #reclaim = NOTHING;
  #reclaimRead = NOTHING;

  constructor(limitBytes: number, source = MACHINE) {
    this.limitBytes = limitBytes;
    this.#source = source;
    this.#arena = new Arena(chunkFor(limitBytes), (sizeBytes) => this.#allocate(sizeBytes));
  }

  /** Bytes held by buffers that are lent out, cached ones included. */
  get lentBytes(): number {
    return this.#lentBytes;
  }

  /** Bytes of the machine that it has: lent out, or free to be lent again. */
  get heldBytes(): number {
    return this.#arena.reservedBytes + this.#apartBytes + this.#idleBytes;
  }

  /** Bytes that it has taken from the machine so far, each of which costs a first touch. */
  get freshBytes(): number {
    return this.#freshBytes;
  }

  /**
   * @param reclaim Of all that is cached; asked when the budget is spent.
   * @param reclaimRead Of what streams have read; asked before new memory is taken.
   */
  reclaimWith(reclaim: Reclaimer, reclaimRead = NOTHING): void {
    this.#reclaim = reclaim;
    this.#reclaimRead = reclaimRead;
  }

  /** To be called now and then: gives free memory back to the machine if nobody has asked for any since the call before. */
  shrinkWhenIdle(): void {
    const isIdle = !this.#wasAsked;
    this.#wasAsked = false;
    if (!isIdle) return;
    this.#reclaimRead(Number.POSITIVE_INFINITY);
    this.#dropIdle();
    this.#arena.join();
    this.#arena.shrink(this.#arena.reservedBytes);
  }

  /** A buffer of at least `sizeBytes`, whatever it held before still in it. */
  acquireNow(sizeBytes: number): Buffer {
    const capacity = this.#capacityFor(sizeBytes);
    const buffer =
      this.#within(capacity) ??
      this.#allocateApart(overdraftFor(sizeBytes, this.#arena.chunkBytes)) ??
      this.#atAnyCost(capacity);
    if (buffer === undefined) throw noMemory(sizeBytes);
    return buffer;
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
        reject: (reason) => {
          signal.removeEventListener('abort', onAbort);
          reject(reason);
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
      const { capacity } = next;
      const isAlone = this.#patient.size === 0;
      const over = (): Buffer | undefined => this.#allocateApart(capacity) ?? this.#atAnyCost(capacity);
      const buffer = this.#within(capacity) ?? (isAlone ? over() : undefined);
      if (buffer === undefined && !isAlone) return;
      this.#waiters.shift();
      if (buffer === undefined) next.reject(noMemory(capacity));
      else next.resolve(buffer);
    }
  }

  #capacityFor(sizeBytes: number): number {
    return capacityFor(sizeBytes, this.#arena.chunkBytes);
  }

  /** Within the budget, by all that can be evicted. */
  #atAnyCost(capacity: number): Buffer | undefined {
    return this.#within(capacity, Number.POSITIVE_INFINITY);
  }

  #within(capacity: number, mostEvicted = capacity * EVICTED_PER_BYTE): Buffer | undefined {
    this.#wasAsked = true;
    let evicted = 0;
    for (;;) {
      const buffer = capacity > this.#arena.chunkBytes ? this.#large(capacity) : this.#block(capacity);
      if (buffer !== undefined || evicted >= mostEvicted || !this.#reclaim(capacity)) return buffer;
      evicted += capacity;
    }
  }

  #block(capacity: number): Buffer | undefined {
    const arena = this.#arena;
    let block = arena.take(capacity) ?? this.#blockBehindStream(capacity);
    if (block === undefined && !this.#isRefused && this.#makeRoom(arena.chunkBytes) && arena.grow()) {
      block = arena.take(capacity);
    }
    block ??= this.#joinedBlock(capacity);
    if (block !== undefined) this.#lentBytes += capacity;
    return block;
  }

  /** Memory that was touched before. */
  #blockBehindStream(capacity: number): Buffer | undefined {
    const arena = this.#arena;
    const block = this.#reclaimRead(capacity) ? arena.take(capacity) : undefined;
    return block ?? (arena.freeBytes >= arena.chunkBytes ? this.#joinedBlock(capacity) : undefined);
  }

  #joinedBlock(capacity: number): Buffer | undefined {
    this.#arena.join();
    return this.#arena.take(capacity);
  }

  #large(capacity: number): Buffer | undefined {
    const buffer = this.#idle.get(capacity)?.pop();
    if (buffer !== undefined) {
      this.#idleBytes -= capacity;
      this.#apartBytes += capacity;
      this.#lentBytes += capacity;
      return buffer;
    }
    if (this.#isRefused) return undefined;
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

  /** Memory that was refused a moment ago: what there is must do. */
  get #isRefused(): boolean {
    const untilMs = this.#refusedUntilMs;
    return untilMs !== Number.NEGATIVE_INFINITY && this.#source.clock.monotonic() < untilMs;
  }

  #allocate(sizeBytes: number): Buffer | undefined {
    try {
      const memory = this.#source.allocate(sizeBytes);
      this.#freshBytes += sizeBytes;
      return memory;
    } catch {
      this.#refusedUntilMs = this.#source.clock.monotonic() + REFUSED_FOR_MS;
      return undefined;
    }
  }

  #allocateApart(capacity: number): Buffer | undefined {
    const buffer = this.#allocate(capacity);
    if (buffer === undefined) return undefined;
    this.#apartBytes += capacity;
    this.#lentBytes += capacity;
    return buffer;
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

function noMemory(sizeBytes: number): ContentError {
  return new ContentError('no-memory', `the machine gives no more memory: ${sizeBytes} bytes were wanted`);
}

/** So that a small budget still is many chunks. */
function chunkFor(limitBytes: number): number {
  let chunk = MIB;
  while (chunk < LARGEST_CHUNK && chunk * 16 <= limitBytes) chunk *= 2;
  return chunk;
}

const SMALLEST = 16 * 1024;
/**
 * The size of the buffer that serves `sizeBytes`: few sizes, so that buffers fit again. Powers of two from 16 KiB up
 * to `largestBlock`, whole MiB above, where doubling would waste too much.
 */
function capacityFor(sizeBytes: number, largestBlock: number): number {
  if (sizeBytes > largestBlock) return Math.ceil(sizeBytes / MIB) * MIB;
  let capacity = SMALLEST;
  while (capacity < sizeBytes) capacity *= 2;
  return capacity;
}

/** As `capacityFor`, of a buffer over the budget: up to `largestBlock` it is not used again, and need not fit others. */
function overdraftFor(sizeBytes: number, largestBlock: number): number {
  if (sizeBytes > largestBlock) return capacityFor(sizeBytes, largestBlock);
  return Math.ceil(sizeBytes / SMALLEST) * SMALLEST;
}
