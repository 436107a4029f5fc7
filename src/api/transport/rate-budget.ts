import type { Clock } from '../../lib/clock.ts';
import type { Priority } from '../api.ts';
import type { Answer } from './call.ts';
import { mayGo, newerWindow, type RateWindow, rateWindowOf } from './rate-window.ts';
import type { ServerTime } from './server-time.ts';

const ORDER = ['interactive', 'data', 'prefetch', 'background'] as const satisfies readonly Priority[];

/** The next interval surely began: `Reset` and `Date` are whole seconds. */
const AFTER_RESET_MS = 1000;

export interface RateSnapshot {
  /** Undefined before the first answer. */
  readonly window: RateWindow | 'unlimited' | undefined;
  readonly inFlight: number;
  readonly waiting: Readonly<Record<Priority, number>>;
}

/**
 * The request budget that all calls of a token share. A call waits until the interval has room for it, higher
 * priorities first, first come first served within one; it never fails for want of room.
 */
export class RateBudget {
  readonly #clock: Clock;
  readonly #serverTime: ServerTime;
  readonly #waiting: Readonly<Record<Priority, Set<Waiter>>> = {
    interactive: new Set(),
    data: new Set(),
    prefetch: new Set(),
    background: new Set(),
  };
  #window: RateWindow | 'unlimited' | undefined;
  #inFlight = 0;
  readonly #onWait: (ms: number) => void;
  #wakeUp: AbortController | undefined;

  /** `onWait` is told each time that calls begin to wait for the next interval, and how long. */
  constructor(clock: Clock, serverTime: ServerTime, onWait: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#serverTime = serverTime;
    this.#onWait = onWait;
  }

  /** Resolves when a request may be sent; rejects with the signal's reason. */
  async acquire(priority: Priority, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const waiter = new Waiter();
    const queue = this.#waiting[priority];
    const abort = (): void => {
      queue.delete(waiter);
      waiter.reject(signal?.reason);
      this.#letGo();
    };
    queue.add(waiter);
    signal?.addEventListener('abort', abort, { once: true });
    this.#letGo();
    await waiter.turn.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Whether a request of this priority would be let go at once. */
  hasRoom(priority: Priority): boolean {
    const isAnyoneWaiting = ORDER.some((each) => this.#waiting[each].size > 0);
    return !isAnyoneWaiting && this.#mayGo(priority);
  }

  /** Says that an acquired request is over, and what its answer told of the interval. */
  settle(headers: Answer['headers'] | undefined): void {
    this.#inFlight -= 1;
    if (headers) {
      const told = rateWindowOf(headers);
      const known = this.#window === 'unlimited' ? undefined : this.#window;
      this.#window = told ? newerWindow(known, told) : (known ?? 'unlimited');
    }
    this.#letGo();
  }

  /** Rejects all who wait. */
  close(reason: Error): void {
    for (const queue of Object.values(this.#waiting)) {
      for (const waiter of queue) {
        waiter.reject(reason);
      }
      queue.clear();
    }
    this.#wakeUp?.abort();
  }

  snapshot(): RateSnapshot {
    const counts = ORDER.map((priority) => [priority, this.#waiting[priority].size] as const);
    return {
      window: this.#window,
      inFlight: this.#inFlight,
      waiting: Object.fromEntries(counts) as Record<Priority, number>,
    };
  }

  #letGo(): void {
    for (const priority of ORDER) {
      for (const waiter of this.#waiting[priority]) {
        if (!this.#mayGo(priority)) {
          this.#sleepUntilReset();
          return;
        }
        this.#waiting[priority].delete(waiter);
        this.#inFlight += 1;
        waiter.go();
      }
    }
    this.#wakeUp?.abort();
  }

  #mayGo(priority: Priority): boolean {
    const nowMs = this.#serverTime.now() - AFTER_RESET_MS;
    return mayGo(this.#window, { priority, inFlight: this.#inFlight, nowMs });
  }

  /** One sleeper for all who wait; it ends with the last of them, so that no timer outlives its use. */
  #sleepUntilReset(): void {
    if (this.#wakeUp !== undefined || this.#window === undefined || this.#window === 'unlimited') {
      return;
    }
    const ms = this.#serverTime.msUntil(this.#window.resetMs + AFTER_RESET_MS);
    if (ms === 0) {
      // The new interval is spoken for by requests in flight: the next answer tells of it, and lets go.
      return;
    }
    const wakeUp = new AbortController();
    this.#wakeUp = wakeUp;
    this.#onWait(ms);
    const awake = (): void => {
      this.#wakeUp = undefined;
      this.#letGo();
    };
    this.#clock.sleep(ms, wakeUp.signal).then(awake, awake);
  }
}

/** One who waits for its turn. */
class Waiter {
  go = (): void => {};
  reject: (reason: unknown) => void = () => {};
  readonly turn = new Promise<void>((resolve, reject) => {
    this.go = resolve;
    this.reject = reject;
  });
}
