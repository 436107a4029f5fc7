/** How much a long test does, and by which seed: both can be given from outside. */

/** So many, or what the variable of the environment says. */
export function amount(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}

/** Printed, so that what failed can be done again. */
export const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000);
process.stderr.write(`MODEL_SEED=${SEED}\n`);

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}
