import type { Clock } from '../../lib/clock.ts';
import type { Answer, Send } from './call.ts';

/** More than this is named: signed addresses and tokens are good for minutes, and files show times of the other clock. */
const NAMED_MS = 60_000;
/** `Date` is cut to whole seconds. */
const CUT_MS = 1000;

/**
 * How far the service's clock is from that of this machine, as far as the `Date` headers prove it. An exchange tells it as
 * exactly as it was quick: the answer was written at some time of it.
 */
export class ClockSkew {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onSkew: (aheadMs: number) => void;
  #aheadMs: number | null = null;
  #isTold = false;

  /** `onSkew` is told once, when the clocks differ by more than a minute: by how much the service's is ahead. */
  constructor(clock: Pick<Clock, 'now'>, onSkew: (aheadMs: number) => void = () => {}) {
    this.#clock = clock;
    this.#onSkew = onSkew;
  }

  /** By how much the service's clock is ahead at least, or behind (negative); null when it is by no more than a minute. */
  get aheadMs(): number | null {
    return this.#aheadMs;
  }

  /** The same, which learns from each exchange. */
  learningFrom(send: Send): Send {
    return async (call) => {
      const sentMs = this.#clock.now();
      const answer = await send(call);
      this.#learn(sentMs, answer);
      return answer;
    };
  }

  #learn(sentMs: number, { headers, page }: Answer): void {
    const writtenMs = Date.parse(headers['date'] ?? '');
    // A cache answers with an old date, and whoever sends a page is not the service.
    if (Number.isNaN(writtenMs) || headers['age'] !== undefined || page !== undefined) return;
    const leastMs = writtenMs - this.#clock.now();
    const mostMs = writtenMs + CUT_MS - sentMs;
    // The clock of this machine was set meanwhile.
    if (leastMs > mostMs) return;
    if (leastMs > NAMED_MS) this.#differs(leastMs);
    else if (mostMs < -NAMED_MS) this.#differs(mostMs);
    else if (leastMs >= -NAMED_MS && mostMs <= NAMED_MS) this.#aheadMs = null;
  }

  #differs(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onSkew(aheadMs);
  }
}
