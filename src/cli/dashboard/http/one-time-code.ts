import type { Clock } from '../../../lib/clock.ts';
import { isSame } from './guards.ts';
import { randomToken } from './random-token.ts';

/** A browser takes no longer to start. */
const GOOD_FOR_MS = 60_000;

/**
 * Opens the page once. It stands in the command line of the browser, which other users of the machine can read; by then it is
 * worth nothing. The token stands in no command line.
 */
export class OneTimeCode {
  readonly #code = randomToken();
  readonly #clock: Clock;
  #goodUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The path that opens the page; once, and within the next minute. */
  issue(): string {
    this.#goodUntilMs = this.#clock.monotonic() + GOOD_FOR_MS;
    return `/open/${this.#code}`;
  }

  /** Whether a request's path is the one that was issued. The same path never is again. */
  redeem(path: string | undefined): boolean {
    const isGood = this.#clock.monotonic() < this.#goodUntilMs && isSame(path ?? '', `/open/${this.#code}`);
    if (isGood) this.#goodUntilMs = Number.NEGATIVE_INFINITY;
    return isGood;
  }
}
