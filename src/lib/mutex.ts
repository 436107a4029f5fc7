import { untilAborted } from './until-aborted.ts';

/** One holder at a time, in the order of asking. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Held or asked for. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Runs `task` alone and answers what it answers. The signal ends the waiting, not a task that has begun: it then
   * rejects with the signal's reason and `task` is never run.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#tail;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#tail = before.then(() => held);
    this.#waiting++;
    try {
      await untilAborted(before, signal);
      return await task();
    } finally {
      this.#waiting--;
      release();
    }
  }
}

/**
 * Runs `task` while holding all of `mutexes`, taken one after the other in the order given: callers that share
 * several must agree on one order. The signal is that of `Mutex.run`.
 */
export function runHolding<T>(
  mutexes: readonly Mutex[],
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const [first, ...rest] = mutexes;
  return first ? first.run(() => runHolding(rest, task, signal), signal) : task();
}
