import type { Clock } from './clock.ts';
import { untilAborted } from './until-aborted.ts';

/** A timer that fires late is made up for, up to this time. */
const MADE_UP_MS = 50;
const MOMENTS_PER_SECOND = 16;

/** Anything that is counted and limited by the second. Takers go in the order they came. */
export class Throttle {
  readonly perSecond: number;
  readonly #clock: Clock;
  /** When all that was taken is paid for. */
  #paidMs = Number.NEGATIVE_INFINITY;
  #turn: Promise<void> = Promise.resolve();

  /** So much at once is hardly a burst. */
  readonly moment: number;

  constructor(perSecond: number, clock: Clock) {
    this.moment = Math.ceil(perSecond / MOMENTS_PER_SECOND);
    this.perSecond = perSecond;
    this.#clock = clock;
  }

  /**
   * Resolves when `amount` may go: when earlier amounts are paid for. An amount of any size goes at once then, and makes
   * the next one wait; hardly any unused time is saved up. A caller that gives up leaves at once.
   */
  take(amount: number, signal?: AbortSignal): Promise<void> {
    const taking = this.#turn.then(() => this.#take(amount, signal));
    this.#turn = taking.catch(() => undefined);
    return untilAborted(taking, signal);
  }

  async #take(amount: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const waitMs = this.#paidMs - this.#clock.monotonic();
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    const fromMs = Math.max(this.#paidMs, this.#clock.monotonic() - MADE_UP_MS);
    this.#paidMs = fromMs + (amount / this.perSecond) * 1000;
  }
}
