import type { Clock } from '../../lib/clock.ts';

const SECOND_MS = 1000;
/** A smaller difference may come from dates that are cut to whole seconds, and from slow answers. */
const TOLD_APART_MS = 2 * SECOND_MS;
/** How long the best of what answers told counts: clocks drift. */
const KEPT_MS = 60 * SECOND_MS;
/** Processes of a service may be on machines whose clocks differ. */
const BETWEEN_PROCESSES_MS = SECOND_MS;

/**
 * The service's clock as its `Date` headers tell it: reset times and creation times are in it, and this machine's
 * clock may be minutes off, or be set.
 */
export class ServerTime {
  readonly #clock: Clock;
  #aheadMs = 0;
  /** The service's clock is ahead by so much at least: of the time that is kept now, and of the one before. */
  #leastAheadMs = Number.NEGATIVE_INFINITY;
  #leastAheadBeforeMs = Number.NEGATIVE_INFINITY;
  #keptSinceMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a `Date` header, which is cut to whole seconds. */
  observe(date: string | undefined): void {
    const atMs = Date.parse(date ?? '');
    if (Number.isNaN(atMs)) return;
    const nowMs = this.#clock.elapsed();
    const aheadMs = atMs + SECOND_MS / 2 - nowMs;
    this.#aheadMs = Math.abs(aheadMs) < TOLD_APART_MS ? 0 : aheadMs;
    this.#learnLeast(atMs - nowMs, nowMs);
  }

  /** Milliseconds since the epoch, by the service's clock. */
  now(): number {
    return this.#clock.elapsed() + this.#aheadMs;
  }

  /** No later than the times, in whole seconds, that the service gives to what begins from now on; some two seconds ago at most. */
  fromNowOn(): number {
    const known = Math.max(this.#leastAheadMs, this.#leastAheadBeforeMs);
    const leastMs = this.#clock.elapsed() + (Number.isFinite(known) ? known : 0);
    return Math.floor(leastMs / SECOND_MS) * SECOND_MS - BETWEEN_PROCESSES_MS;
  }

  /** How long until a moment of the service's clock; 0 when it has passed. */
  msUntil(serverMs: number): number {
    return Math.max(0, serverMs - this.now());
  }

  /** The more, the nearer to what it is: of an answer that came late, or at the end of a second, less is known. Much less: the clock was set. */
  #learnLeast(aheadMs: number, nowMs: number): void {
    const wasSet = Math.max(this.#leastAheadMs, this.#leastAheadBeforeMs) - aheadMs > 2 * TOLD_APART_MS;
    if (wasSet || nowMs - this.#keptSinceMs > KEPT_MS) {
      this.#leastAheadBeforeMs = wasSet ? Number.NEGATIVE_INFINITY : this.#leastAheadMs;
      this.#leastAheadMs = aheadMs;
      this.#keptSinceMs = nowMs;
    } else {
      this.#leastAheadMs = Math.max(this.#leastAheadMs, aheadMs);
    }
  }
}
