import type { Clock } from '../../lib/clock.ts';

interface Failure {
  readonly offset: number;
  readonly end: number;
  readonly error: unknown;
  readonly untilMs: number;
}

const MOST_REMEMBERED_MS = 3000;

/**
 * Ranges that one handle could not read after long trying. When its read-ahead fails, the kernel asks for the page
 * anew, alone: another long try would let the program wait twice as long as it was told. A read that failed at once
 * costs nothing to try anew.
 */
export class RecentFailures {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failures: readonly Failure[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  add(range: { readonly offset: number; readonly end: number }, error: unknown, beganMs: number): void {
    const now = this.#clock.monotonic();
    const untilMs = now + Math.min(MOST_REMEMBERED_MS, now - beganMs);
    this.#failures = [...this.#current(), { ...range, error, untilMs }];
  }

  /** The failure of a part of the range, told once: a caller that asks again wants a new try. */
  takeIn(offset: number, end: number): { readonly error: unknown } | undefined {
    if (this.#failures.length === 0) return undefined;
    this.#failures = this.#current();
    const failure = this.#failures.find((each) => each.offset < end && offset < each.end);
    if (failure !== undefined) this.#failures = this.#failures.filter((each) => each !== failure);
    return failure;
  }

  #current(): readonly Failure[] {
    return this.#failures.filter(({ untilMs }) => untilMs > this.#clock.monotonic());
  }
}
