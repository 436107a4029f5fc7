import { type Clock, elapsedBy } from '../../src/lib/clock.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Time that stands still until a test moves it. */
export class FakeClock implements Clock {
  /** Like a real one's, of another beginning than the time of day. */
  #elapsedMs = 0;
  #beganMs: number;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();
  readonly elapsed: () => number;

  constructor(startMs = Date.UTC(2024, 0, 1)) {
    this.#beganMs = startMs;
    this.elapsed = elapsedBy(this);
  }

  now(): number {
    return this.#beganMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  /** The time of day is set forward by so much, or back. */
  set(forwardMs: number): void {
    this.#beganMs += forwardMs;
  }

  /** How many sleeps wait now: lets a test see that the code under test has reached its pause. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper: Sleeper = { wakeAt: this.#elapsedMs + ms, order: this.#order++, wake };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Moves time on and wakes sleepers in their order, those included that begin to sleep on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.wakeAt);
      this.#sleepers.delete(next);
      next.wake();
      await settle();
    }
    this.#elapsedMs = end;
  }

  #next(end: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakeAt > end) continue;
      if (first === undefined || before(sleeper, first)) first = sleeper;
    }
    return first;
  }
}

function before(a: Sleeper, b: Sleeper): boolean {
  return a.wakeAt < b.wakeAt || (a.wakeAt === b.wakeAt && a.order < b.order);
}

/** Lets promise chains run out: setImmediate comes after all microtasks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
