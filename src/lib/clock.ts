import { setTimeout as delay } from 'node:timers/promises';

/** Time as a dependency: tests put a fake one in its place. */
export interface Clock {
  /** Milliseconds since the epoch: the time of day. It may be set, and goes on while the machine sleeps. */
  now(): number;
  /** Milliseconds since some moment, to measure how long things take. Nobody sets it; on Linux it stands still while the machine sleeps. */
  monotonic(): number;
  /** To tell how old a fact is: goes on while the machine sleeps, and is never set back. Begins with the time of day. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The most that a timer of Node.js can wait: with more it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const system: Pick<Clock, 'now' | 'monotonic'> = {
  now: () => Date.now(),
  monotonic: () => Math.trunc(performance.now()),
};

export const systemClock: Clock = {
  ...system,
  elapsed: elapsedBy(system),
  sleep: async (ms, signal) => {
    try {
      let leftMs = ms;
      for (; leftMs > LONGEST_TIMER_MS; leftMs -= LONGEST_TIMER_MS)
        await delay(LONGEST_TIMER_MS, undefined, { signal });
      await delay(leftMs, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** By how much the time of day must run ahead of the other for a sleep, or for a clock that was set forward. */
const SLEPT_MS = 1000;

/** `Clock.elapsed`: how far the time of day runs ahead counts when it grows, and not when it shrinks. */
export function elapsedBy(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  let aheadMs = clock.now() - clock.monotonic();
  let addedMs = aheadMs;
  return () => {
    const monotonicMs = clock.monotonic();
    const grownMs = clock.now() - monotonicMs - aheadMs;
    if (grownMs > SLEPT_MS) addedMs += grownMs;
    if (grownMs > SLEPT_MS || grownMs < 0) aheadMs += grownMs;
    return monotonicMs + addedMs;
  };
}

export interface HasClock {
  readonly clock: Clock;
}
