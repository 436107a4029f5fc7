import type { WaitingBody } from '../../api/storage-client.ts';
import type { SocketBytes } from '../../lib/byte-chunks.ts';

interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface HandedOn {
  readonly chunks: readonly Uint8Array[];
  readonly rest: SocketBytes;
  /** Answers by how many reads they were taken; where these came to, `front` tells. */
  release(): number;
}

/**
 * A run of blocks that one range request brings, in one buffer. It fills from the front; a reader of its beginning does
 * not wait for its end.
 */
export class Segment {
  readonly offset: number;
  readonly end: number;
  readonly buffer: Buffer;
  /** Settles, without a failure, when nothing more is fetched. */
  settled: Promise<void> = Promise.resolve();
  pins = 0;
  /** Bytes that replies took; what was read once, front to back, is in the kernel's page cache. */
  #lentBytes = 0;
  #filledBytes = 0;
  #front: number;
  /** The bytes to come, as long as they can be handed on from their socket. */
  #waiting: WaitingBody | undefined;
  #waiters: Waiter[] = [];

  constructor(offset: number, end: number, buffer: Buffer) {
    this.offset = offset;
    this.#front = offset;
    this.end = end;
    this.buffer = buffer;
  }

  get sizeBytes(): number {
    return this.end - this.offset;
  }

  /** All of it came. */
  get isFilled(): boolean {
    return this.#filledBytes === this.sizeBytes;
  }

  /** Where that begins which is in here, or comes: what was before it in the range was handed on. */
  get front(): number {
    return this.#front;
  }

  /** All was handed on. */
  get isEmpty(): boolean {
    return this.#front === this.end;
  }

  /** Every byte was lent. */
  get isSpent(): boolean {
    return this.#lentBytes >= this.sizeBytes;
  }

  /** `[offset, end)`, as it lies in here. */
  lend(offset: number, end: number): Uint8Array {
    this.#lentBytes += end - offset;
    return this.buffer.subarray(offset - this.offset, end - this.offset);
  }

  /** The rest of the range waits in its socket. */
  waits(body: WaitingBody): void {
    if (this.#waiters.length > 0) body.receive();
    else this.#waiting = body;
  }

  /**
   * The bytes of `[offset, end)`, if they are the next and all there, and the bytes behind them, as far as they are read
   * at once. The later ones come straight from their socket. The segment no longer holds them afterwards.
   */
  handOn(offset: number, end: number): HandedOn | undefined {
    const body = this.#waiting;
    if (body === undefined || offset !== this.#front || end > this.end) return undefined;
    const next = body.position;
    const from = offset - this.offset;
    const to = end - this.offset;
    if (next >= to) return undefined;
    const rest = body.lend(this.buffer.subarray(next, to), this.buffer.subarray(to, this.sizeBytes));
    if (rest === undefined) return undefined;
    this.#passed(end);
    const release = (): number => {
      const { bytes, reads } = rest.release();
      this.#passed(Math.max(end, this.offset + next + bytes));
      return reads;
    };
    return { chunks: from < next ? [this.buffer.subarray(from, next)] : [], rest, release };
  }

  /** Undefined when the bytes up to `end` are there; else when they are. Rejects when they never will be. */
  until(end: number): Promise<void> | undefined {
    const bytes = Math.min(end, this.end) - this.offset;
    if (bytes <= this.#filledBytes) return undefined;
    this.#waiting?.receive();
    this.#waiting = undefined;
    return new Promise((resolve, reject) => this.#waiters.push({ bytes, resolve, reject }));
  }

  filled(bytes: number): void {
    this.#filledBytes = bytes;
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => waiter.bytes > bytes);
    for (const waiter of waiters) if (waiter.bytes <= bytes) waiter.resolve();
  }

  /** Nothing more is fetched: what stays in the cache keeps nothing of how it came. */
  loaded(): void {
    this.#waiting = undefined;
  }

  failed(reason: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }

  #passed(end: number): void {
    this.#lentBytes += end - this.#front;
    this.#front = end;
  }
}
