/**
 * How many ranges may be fetched ahead at once in the whole process. Handles that found no slot are asked again in the
 * order they came, one range each: nothing is queued that a jump of the reader could make useless.
 */
export class RangeSlots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True: taken. False: `retry` is called when a slot is free. */
  take(retry: () => void): boolean {
    if (this.#taken >= this.#limit) {
      this.#waiting.add(retry);
      return false;
    }
    this.#taken += 1;
    return true;
  }

  release(): void {
    this.#taken -= 1;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }

  /** The handle is closed: do not ask it again. */
  withdraw(retry: () => void): void {
    this.#waiting.delete(retry);
  }
}
