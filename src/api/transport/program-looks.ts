import type { RateWindow } from './rate-window.ts';

/** A person's commands ask for less than this share of an interval; a program that walks a tree asks for more. */
const OF_A_PERSON = 0.05;
const OF_A_PERSON_AT_LEAST = 5;
/** Two windows whose ends are this close are one. */
const SAME_RESET_MS = 1000;

/** How many looks each program has had in an interval. */
export class ProgramLooks {
  readonly #looks = new Map<number, number>();
  #resetMs = Number.NEGATIVE_INFINITY;

  /** One more look of a program. */
  add(program: number, { resetMs }: RateWindow): void {
    this.#renew(resetMs);
    this.#looks.set(program, (this.#looks.get(program) ?? 0) + 1);
  }

  /** Whether a program has had more looks than a person takes. */
  isBulk(program: number, { limit, resetMs }: RateWindow): boolean {
    this.#renew(resetMs);
    return (this.#looks.get(program) ?? 0) >= Math.max(OF_A_PERSON_AT_LEAST, OF_A_PERSON * limit);
  }

  #renew(resetMs: number): void {
    if (resetMs - this.#resetMs < SAME_RESET_MS) return;
    this.#resetMs = resetMs;
    this.#looks.clear();
  }
}
