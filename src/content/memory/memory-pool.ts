/**
 * The memory of the data path: one budget for cached blocks, parts on their way and reads from the spool, as buffers
 * that are used again (the first touch of a fresh page costs more than the copy into it).
 *
 * Three ways to ask, by who waits:
 *  - `acquireNow`: a read a program waits for. It may overdraw the budget, because what it waits behind could be
 *    waiting for it; the kernel's request slots bound by how much.
 *  - `tryAcquire`: prefetch. Nothing within the budget: undefined.
 *  - `acquire`: a part to upload. Waits in turn; when no other part is held it is served even over the budget, so a
 *    budget smaller than one part slows the upload down and does not stop it.
 *
 * The cache keeps what nobody asked for; the pool takes it back through `reclaim`.
 */
import { capacityFor } from './capacity-for.ts';

interface Waiter {
  readonly capacity: number;
  readonly resolve: (buffer: Buffer) => void;
}

/** Who holds memory that it can give up: releases at least `bytes` to the pool if it can. */
export type Reclaimer = (bytes: number) => void;

export class MemoryPool {
  readonly limitBytes: number;
  readonly #idle = new Map<number, Buffer[]>();
  readonly #patient = new Set<Buffer>();
  readonly #waiters: Waiter[] = [];
  #idleBytes = 0;
  #lentBytes = 0;
  #serving = false;
  #reclaim: Reclaimer = () => {};

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Bytes held by buffers that are lent out, cached ones included. */
  get lentBytes(): number {
    return this.#lentBytes;
  }

  reclaimWith(reclaim: Reclaimer): void {
    this.#reclaim = reclaim;
  }

  /** A buffer of at least `sizeBytes`, whatever it held before still in it. */
  acquireNow(sizeBytes: number): Buffer {
    const capacity = capacityFor(sizeBytes);
    return this.#within(capacity) ?? this.#allocate(capacity);
  }

  tryAcquire(sizeBytes: number): Buffer | undefined {
    return this.#waiters.length > 0 ? undefined : this.#within(capacityFor(sizeBytes));
  }

  async acquire(sizeBytes: number, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    const capacity = capacityFor(sizeBytes);
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
    const capacity = buffer.length;
    this.#patient.delete(buffer);
    this.#lentBytes -= capacity;
    if (this.#lentBytes + this.#idleBytes + capacity <= this.limitBytes) this.#keep(buffer);
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
        this.#within(next.capacity) ?? (this.#patient.size === 0 ? this.#allocate(next.capacity) : undefined);
      if (buffer === undefined) return;
      this.#waiters.shift();
      next.resolve(buffer);
    }
  }

  #within(capacity: number): Buffer | undefined {
    const ready = this.#reuse(capacity);
    if (ready !== undefined) return ready;
    const missing = this.#lentBytes + capacity - this.limitBytes;
    if (missing > 0) {
      this.#reclaim(missing);
      const freed = this.#reuse(capacity);
      if (freed !== undefined) return freed;
    }
    if (this.#lentBytes + capacity > this.limitBytes) return undefined;
    if (this.#lentBytes + this.#idleBytes + capacity > this.limitBytes) this.#dropIdle();
    return this.#allocate(capacity);
  }

  #reuse(capacity: number): Buffer | undefined {
    const buffer = this.#idle.get(capacity)?.pop();
    if (buffer === undefined) return undefined;
    this.#idleBytes -= capacity;
    this.#lentBytes += capacity;
    return buffer;
  }

  #allocate(capacity: number): Buffer {
    this.#lentBytes += capacity;
    return Buffer.allocUnsafeSlow(capacity);
  }

  #keep(buffer: Buffer): void {
    const sameSize = this.#idle.get(buffer.length);
    if (sameSize === undefined) this.#idle.set(buffer.length, [buffer]);
    else sameSize.push(buffer);
    this.#idleBytes += buffer.length;
  }

  #dropIdle(): void {
    this.#idle.clear();
    this.#idleBytes = 0;
  }
}
