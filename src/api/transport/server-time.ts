import type { Clock } from '../../lib/clock.ts';

/**
 * The service's clock as its `Date` headers tell it: reset times and creation times are in it, and this machine's
 * clock may be minutes off, or be set.
 */
export class ServerTime {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a `Date` header, which is cut to whole seconds. */
  observe(date: string | undefined): void {
    const atMs = Date.parse(date ?? '');
    if (!Number.isNaN(atMs)) {
      const aheadMs = atMs + 500 - this.#clock.elapsed();
      this.#aheadMs = Math.abs(aheadMs) < 2000 ? 0 : aheadMs;
    }
  }

  /** Milliseconds since the epoch, by the service's clock. */
  now(): number {
    return this.#clock.elapsed() + this.#aheadMs;
  }

  /** How long until a moment of the service's clock; 0 when it has passed. */
  msUntil(serverMs: number): number {
    return Math.max(0, serverMs - this.now());
  }
}
