/** Numbers that look random and are the same for the same seed: the demo's data is then the same everywhere. */
export interface SeededRandom {
  /** A whole number in [0, below). */
  below(limit: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
}

/** Mulberry32: one 32-bit word of state, good enough to draw reads and bases with. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
  };
}
