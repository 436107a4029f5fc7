import { type Clock, elapsedBy } from '../../src/lib/clock.ts';

/** A clock on which every sleep is over at once, and has taken its time. */
export class HastyClock implements Clock {
  #elapsedMs = 0;
  #beganMs = Date.UTC(2024, 0, 1);
  readonly elapsed = elapsedBy(this);

  now(): number {
    return this.#beganMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  /** The time of day is set forward by so much, or back. */
  set(forwardMs: number): void {
    this.#beganMs += forwardMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#elapsedMs += ms;
  }
}
