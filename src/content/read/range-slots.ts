import type { Clock } from '../../lib/clock.ts';
import { afterPeriod, type Concurrency, FIRST_CONCURRENCY, limitFor } from './concurrency.ts';

/** Long enough that bursts of single ranges do not decide. */
const PERIOD_SECONDS = 0.5;

/** Asks again: a slot is free. It stands for the handle, too. */
export type Retry = () => void;

/**
 * How many ranges may be fetched ahead at once in the whole process. Handles that found no slot are asked again in the
 * order they came, one range each: nothing is queued that a jump of the reader could make useless.
 */
export class RangeSlots {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting = new Set<Retry>();
  readonly #taken = new Map<Retry, number>();
  readonly #ahead = new Set<Retry>();
  #concurrency: Concurrency = FIRST_CONCURRENCY;
  #inFlight = 0;
  #toHandOn = 0;
  #periodBeganMs: number | undefined;
  #periodBytes = 0;
  #periodRanges = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get limit(): number {
    return limitFor(this.#concurrency, Math.max(1, this.#taken.size));
  }

  /** Handles that have a slot or wait for one, and those whose readers have not come to all that was fetched. */
  get users(): number {
    let others = 0;
    for (const retry of this.#waiting) if (!this.#taken.has(retry)) others += 1;
    for (const retry of this.#ahead) if (!this.#taken.has(retry) && !this.#waiting.has(retry)) others += 1;
    return this.#taken.size + others;
  }

  /** Whether there are bytes that the handle's reader has not come to. */
  isAhead(retry: Retry, isAhead: boolean): void {
    if (isAhead) this.#ahead.add(retry);
    else this.#ahead.delete(retry);
  }

  /** True: taken. False: `retry` is called when a slot is free. */
  take(retry: Retry): boolean {
    const readers = this.#taken.size + (this.#taken.has(retry) ? 0 : 1);
    if (this.#inFlight >= limitFor(this.#concurrency, readers)) {
      this.#waiting.add(retry);
      return false;
    }
    this.#inFlight += 1;
    this.#taken.set(retry, (this.#taken.get(retry) ?? 0) + 1);
    return true;
  }

  /** `receivedBytes`: of a whole range, or 0 for one that was given up. */
  release(retry: Retry, receivedBytes: number): void {
    this.#measure(receivedBytes);
    this.#inFlight -= 1;
    const left = (this.#taken.get(retry) ?? 1) - 1;
    if (left === 0) this.#taken.delete(retry);
    else this.#taken.set(retry, left);
    this.#handOn();
  }

  /** The handle is closed: do not ask it again. */
  withdraw(retry: Retry): void {
    this.#ahead.delete(retry);
    this.#waiting.delete(retry);
  }

  /**
   * A waiter that finds no memory gives the slot back at once. The next waiter is asked after it and not within it, for
   * thousands may wait.
   */
  #handOn(): void {
    this.#toHandOn += 1;
    if (this.#toHandOn > 1) return;
    try {
      for (; this.#toHandOn > 0; this.#toHandOn -= 1) {
        const [next] = this.#waiting;
        if (next === undefined) continue;
        this.#waiting.delete(next);
        next();
      }
    } finally {
      this.#toHandOn = 0;
    }
  }

  /**
   * Measures what more slots, or fewer, would bring. Only a time in which a waiter always waited for a slot tells that.
   * As many ranges must have come then as are in flight: the ranges of a slow line come all at once.
   */
  #measure(receivedBytes: number): void {
    const now = this.#clock.monotonic();
    if (this.#waiting.size === 0 || this.#periodBeganMs === undefined) {
      this.#beginPeriod(this.#waiting.size === 0 ? undefined : now);
      return;
    }
    this.#periodBytes += receivedBytes;
    if (receivedBytes > 0) this.#periodRanges += 1;
    const seconds = (now - this.#periodBeganMs) / 1000;
    if (seconds < PERIOD_SECONDS || this.#periodRanges < this.limit) return;
    this.#concurrency = afterPeriod(this.#concurrency, {
      bytesPerSecond: this.#periodBytes / seconds,
      // Little's law.
      rangeSeconds: (this.limit * seconds) / this.#periodRanges,
    });
    this.#beginPeriod(now);
  }

  #beginPeriod(nowMs: number | undefined): void {
    this.#periodBeganMs = nowMs;
    this.#periodBytes = 0;
    this.#periodRanges = 0;
  }
}
