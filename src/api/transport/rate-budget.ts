import type { Clock } from '../../lib/clock.ts';
import type { Priority } from '../api.ts';
import type { Answer } from './call.ts';
import { mayGo, newerWindow, type RateWindow, rateWindowOf, USUAL_INTERVAL_MS } from './rate-window.ts';
import type { ServerTime } from './server-time.ts';

const ORDER = ['interactive', 'data', 'prefetch', 'background'] as const satisfies readonly Priority[];
const TOO_MANY_REQUESTS = 429;

/** The next interval surely began: `Reset` and `Date` are whole seconds. */
const AFTER_RESET_MS = 1000;
/** In a wait that is longer than usual, the next in line goes this often, to ask. */
const PROBE_EVERY_MS = 60_000;

export interface RateSnapshot {
  /** Undefined before the first answer. */
  readonly window: RateWindow | 'unlimited' | undefined;
  readonly inFlight: number;
  readonly waiting: Readonly<Record<Priority, number>>;
}

/** The right to send one request. */
export interface Turn {
  /** The window as it was known when the permit was given. */
  readonly known: RateSnapshot['window'];
}

interface Sleep {
  readonly untilMs: number;
  readonly end: AbortController;
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
  #sleep: Sleep | undefined;
  #closed: Error | undefined;

  /** `onWait` is told each time that calls begin to wait for the next interval, and how long. */
  constructor(clock: Clock, serverTime: ServerTime, onWait: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#serverTime = serverTime;
    this.#onWait = onWait;
  }

  /**
   * Resolves when a request may be sent; rejects with the signal's reason. It is interactive once `urgent` is aborted.
   */
  async acquire(priority: Priority, signal?: AbortSignal, urgent?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closed;
    const waiter = new Waiter();
    let queue = this.#waiting[urgent?.aborted ? 'interactive' : priority];
    const abort = (): void => {
      queue.delete(waiter);
      waiter.reject(signal?.reason);
      this.#letGo();
    };
    const raise = (): void => {
      // It may be on its way, its turn not yet taken up.
      if (!queue.delete(waiter)) return;
      queue = this.#waiting.interactive;
      queue.add(waiter);
      this.#letGo();
    };
    queue.add(waiter);
    signal?.addEventListener('abort', abort, { once: true });
    urgent?.addEventListener('abort', raise, { once: true });
    this.#letGo();
    return waiter.turn.finally(() => {
      signal?.removeEventListener('abort', abort);
      urgent?.removeEventListener('abort', raise);
    });
  }

  /** Whether a request of this priority would be let go at once. */
  hasRoom(priority: Priority): boolean {
    const isAnyoneWaiting = ORDER.some((each) => this.#waiting[each].size > 0);
    return !isAnyoneWaiting && this.#mayGo(priority);
  }

  /** Says that an acquired request is over, and what was answered. */
  settle(turn: Turn, answer: Pick<Answer, 'status' | 'headers'> | undefined): void {
    this.#inFlight -= 1;
    if (answer) this.#learn(turn, answer);
    this.#letGo();
  }

  /** Rejects all who wait, and who comes from now on: nothing would let them go. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const queue of Object.values(this.#waiting)) {
      for (const waiter of queue) {
        waiter.reject(reason);
      }
      queue.clear();
    }
    this.#sleep?.end.abort();
  }

  snapshot(): RateSnapshot {
    const counts = ORDER.map((priority) => [priority, this.#waiting[priority].size] as const);
    return {
      window: this.#window,
      inFlight: this.#inFlight,
      waiting: Object.fromEntries(counts) as Record<Priority, number>,
    };
  }

  #learn(turn: Turn, { status, headers }: Pick<Answer, 'status' | 'headers'>): void {
    const told = rateWindowOf(headers, this.#serverTime.now());
    const known = this.#window;
    if (told === undefined) {
      this.#window ??= 'unlimited';
      return;
    }
    // Sent when all of this was known already, or refused: whatever was believed before, this is the truth.
    const isTruth = turn.known === known || status === TOO_MANY_REQUESTS;
    this.#window = isTruth || known === undefined || known === 'unlimited' ? told : newerWindow(known, told);
  }

  #letGo(): void {
    for (const priority of ORDER) {
      for (const waiter of this.#waiting[priority]) {
        if (!this.#mayGo(priority)) {
          this.#sleepUntilReset();
          return;
        }
        this.#go(priority, waiter);
      }
    }
    this.#sleep?.end.abort();
    this.#sleep = undefined;
  }

  #go(priority: Priority, waiter: Waiter): void {
    this.#waiting[priority].delete(waiter);
    this.#inFlight += 1;
    waiter.go({ known: this.#window });
  }

  #mayGo(priority: Priority): boolean {
    const nowMs = this.#serverTime.now() - AFTER_RESET_MS;
    return mayGo(this.#window, { priority, inFlight: this.#inFlight, nowMs });
  }

  /** One sleeper for all who wait; it ends with the last of them, so that no timer outlives its use. */
  #sleepUntilReset(): void {
    if (this.#window === undefined || this.#window === 'unlimited') return;
    const untilMs = this.#window.resetMs + AFTER_RESET_MS;
    if (this.#sleep?.untilMs === untilMs) return;
    this.#sleep?.end.abort();
    this.#sleep = undefined;
    const ms = this.#serverTime.msUntil(untilMs);
    // At 0 the new interval is spoken for by requests in flight: the next answer tells of it, and lets go.
    if (ms === 0) return;
    const sleep = { untilMs, end: new AbortController() };
    this.#sleep = sleep;
    this.#onWait(ms);
    const isLong = ms > USUAL_INTERVAL_MS;
    const awake = (): void => {
      if (this.#sleep !== sleep) return;
      this.#sleep = undefined;
      if (isLong) this.#probe();
      this.#letGo();
    };
    this.#clock.sleep(isLong ? PROBE_EVERY_MS : ms, sleep.end.signal).then(awake, () => {});
  }

  /** Lets the next in line go against the window that is known: only an answer can say that it is wrong. */
  #probe(): void {
    if (this.#inFlight > 0) return;
    for (const priority of ORDER) {
      const [waiter] = this.#waiting[priority];
      if (waiter) {
        this.#go(priority, waiter);
        return;
      }
    }
  }
}

/** One who waits for its turn. */
class Waiter {
  go: (turn: Turn) => void = () => {};
  reject: (reason: unknown) => void = () => {};
  readonly turn = new Promise<Turn>((resolve, reject) => {
    this.go = resolve;
    this.reject = reject;
  });
}
