import type { Clock } from '../../src/lib/clock.ts';

/** A clock on which every sleep is over at once, and has taken its time. */
export class HastyClock implements Clock {
  #now = Date.UTC(2024, 0, 1);

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#now += ms;
  }
}
