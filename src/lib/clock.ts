import { setTimeout as delay } from 'node:timers/promises';

/** Time as a dependency: tests put a fake one in its place. */
export interface Clock {
  /** Milliseconds since the epoch: the time of day. It may be set, and goes on while the machine sleeps. */
  now(): number;
  /** Milliseconds since some moment, to measure how long things take. Nobody sets it; on Linux it stands still while the machine sleeps. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The most that a timer of Node.js can wait: with more it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.trunc(performance.now()),
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
