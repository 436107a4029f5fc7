/**
 * Writes to the cache happen behind the readers' backs: two at a time, and no more bytes waiting than the bound. Bytes
 * beyond the bound are not cached: a disk slower than the network costs hits later, never speed now.
 */
import PQueue from 'p-queue';

const AT_ONCE = 2;

export class WriteBehind {
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #limitBytes: number;
  #waitingBytes = 0;
  #droppedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  /** Undefined: not taken. The promise never rejects; until it settles, the bytes must stay as they are. */
  take(bytes: number, write: () => Promise<void>): Promise<void> | undefined {
    if (this.#waitingBytes + bytes > this.#limitBytes) {
      this.#droppedBytes += bytes;
      return undefined;
    }
    this.#waitingBytes += bytes;
    return this.#queue.add(write).then(
      () => this.#done(bytes),
      () => this.#done(bytes),
    );
  }

  /** Nothing is written any more when it resolves. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  #done(bytes: number): void {
    this.#waitingBytes -= bytes;
  }
}
