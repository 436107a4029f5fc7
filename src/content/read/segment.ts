interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A run of blocks that one range request brings, in one buffer. It fills from the front; a reader of its beginning does
 * not wait for its end.
 */
export class Segment {
  readonly offset: number;
  readonly end: number;
  readonly buffer: Buffer;
  readonly abort = new AbortController();
  /** Settles, without a failure, when nothing more is fetched. */
  settled: Promise<void> = Promise.resolve();
  /** Some of it is still to come. */
  loading = true;
  pins = 0;
  /** Bytes that replies took; what was read once, front to back, is in the kernel's page cache. */
  #lentBytes = 0;
  #filledBytes = 0;
  #waiters: Waiter[] = [];

  constructor(offset: number, end: number, buffer: Buffer) {
    this.offset = offset;
    this.end = end;
    this.buffer = buffer;
  }

  get sizeBytes(): number {
    return this.end - this.offset;
  }

  /** Every byte was lent. */
  get isSpent(): boolean {
    return this.#lentBytes >= this.sizeBytes;
  }

  /** The part of `[offset, end)` that is in here, as it lies. */
  lend(offset: number, end: number): Uint8Array {
    const from = Math.max(offset, this.offset) - this.offset;
    const to = Math.min(end, this.end) - this.offset;
    this.#lentBytes += to - from;
    return this.buffer.subarray(from, to);
  }

  /** Undefined when the bytes up to `end` are there; else when they are. Rejects when they never will be. */
  until(end: number): Promise<void> | undefined {
    const bytes = Math.min(end, this.end) - this.offset;
    if (bytes <= this.#filledBytes) return undefined;
    return new Promise((resolve, reject) => this.#waiters.push({ bytes, resolve, reject }));
  }

  filled(bytes: number): void {
    this.#filledBytes = bytes;
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => waiter.bytes > bytes);
    for (const waiter of waiters) if (waiter.bytes <= bytes) waiter.resolve();
  }

  failed(reason: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }
}
