import type { Clock } from '../../lib/clock.ts';
import { jobOf } from '../../lib/process-table.ts';
import { currentRequester, type Requester } from '../../lib/requester.ts';
import type { CallOptions, Priority } from '../call-options.ts';
import type { Answer } from './call.ts';
import { ProgramLooks } from './program-looks.ts';
import { type RateWait, waitsInOrder } from './rate-waits.ts';
import {
  AT_ONCE,
  goesAt,
  type Kind,
  newerWindow,
  type RateState,
  type RateWindow,
  rateWindowOf,
  USUAL_INTERVAL_MS,
} from './rate-window.ts';
import type { ServerTime } from './server-time.ts';
import { type Turn, Waiter, Waiters } from './waiters.ts';

const TOO_MANY_REQUESTS = 429;

/** The next interval surely began: `Reset` and `Date` are whole seconds. */
const AFTER_RESET_MS = 1000;
/** In a wait that is longer than usual, the next in line goes this often, to ask. */
const PROBE_EVERY_MS = 60_000;
/** Two sleeps that end this close to each other are one. */
const SAME_MOMENT_MS = 5;
/** Resets are told in whole seconds. */
const SAME_RESET_MS = 1000;

export interface RateSnapshot {
  /** Undefined before the first answer. */
  readonly window: ShownWindow | 'unlimited' | undefined;
  readonly inFlight: number;
  readonly waiting: Readonly<Record<Priority, number>>;
  /** The first of those that wait, in the order in which they go. */
  readonly calls: readonly RateWait[];
}

/** The rest of the interval, by this machine's clock; `resetMs` null: no answer of this interval has come yet. */
interface ShownWindow extends Pick<RateWindow, 'limit' | 'remaining'> {
  readonly resetMs: number | null;
}

export interface Asked extends Pick<CallOptions, 'signal' | 'urgent' | 'untilSent'> {
  readonly priority: Priority;
  /** It changes something on the platform. */
  readonly changes?: boolean;
}

interface Options {
  /** Told once an interval that calls wait for the next, and how long. */
  readonly onWait?: ((ms: number) => void) | undefined;
  readonly jobOf?: typeof jobOf;
}

type Job = NonNullable<ReturnType<typeof jobOf>>;
const NO_JOB: Job = { process: 0, group: 0 };

interface Sleep {
  readonly untilMs: number;
  readonly end: AbortController;
}

/**
 * The request budget that all calls of a token share. A call waits until the interval has room for its kind; it never
 * fails for want of room. Looks go first, and what nobody waits for goes last. Programs take turns
 * (src/decisions/0052-fair-share.md).
 */
export class RateBudget {
  readonly #clock: Clock;
  readonly #serverTime: ServerTime;
  readonly #onWait: (ms: number) => void;
  readonly #jobOf: typeof jobOf;
  readonly #waiters = new Waiters();
  readonly #looks = new ProgramLooks();
  #window: RateWindow | 'unlimited' | undefined;
  #inFlight = 0;
  #lastChangeMs = Number.NEGATIVE_INFINITY;
  #sleep: Sleep | undefined;
  #toldResetMs = Number.NEGATIVE_INFINITY;
  #closed: Error | undefined;

  constructor(clock: Clock, serverTime: ServerTime, options: Options = {}) {
    this.#clock = clock;
    this.#serverTime = serverTime;
    this.#onWait = options.onWait ?? (() => {});
    this.#jobOf = options.jobOf ?? jobOf;
  }

  /**
   * Resolves when a request may be sent; rejects with the reason of `signal` or `untilSent`. It is interactive once
   * `urgent` is aborted.
   */
  async acquire(asked: Asked): Promise<Turn> {
    const ends = [asked.signal, asked.untilSent];
    for (const end of ends) end?.throwIfAborted();
    if (this.#closed) throw this.#closed;
    const waiter = this.#waiterFor(asked.urgent?.aborted ? { ...asked, priority: 'interactive' } : asked);
    const abort = (event: Event): void => {
      this.#waiters.delete(waiter);
      waiter.reject((event.target as AbortSignal).reason);
      this.#letGo();
    };
    const raise = (): void => {
      // It may be on its way, its turn not yet taken up.
      if (!this.#waiters.delete(waiter)) return;
      waiter.raise(asked.changes === true ? 'change' : 'look');
      this.#waiters.add(waiter);
      this.#letGo();
    };
    this.#waiters.add(waiter);
    for (const end of ends) end?.addEventListener('abort', abort, { once: true });
    asked.urgent?.addEventListener('abort', raise, { once: true });
    this.#letGo();
    return waiter.turn.finally(() => {
      for (const end of ends) end?.removeEventListener('abort', abort);
      asked.urgent?.removeEventListener('abort', raise);
    });
  }

  /** Whether a request of this priority would be let go at once. */
  hasRoom(priority: Priority): boolean {
    return this.#waiters.size === 0 && this.#goesAt(this.#kindNow(priority)) === AT_ONCE;
  }

  /** Whether a look of the program that asks now would have to wait for the next interval. */
  isSpent(): boolean {
    if (this.#window === undefined || this.#window === 'unlimited') return false;
    const atMs = this.#goesAt(this.#kindNow('interactive'));
    return atMs !== undefined && atMs !== AT_ONCE;
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
    for (const waiter of [...this.#waiters.inOrder()]) {
      this.#waiters.delete(waiter);
      waiter.reject(reason);
    }
    this.#sleep?.end.abort();
  }

  snapshot(): RateSnapshot {
    const waiting: Record<Priority, number> = { interactive: 0, data: 0, prefetch: 0, background: 0 };
    for (const { priority } of this.#waiters.inOrder()) waiting[priority] += 1;
    const calls = waitsInOrder(this.#waiters.inOrder(), this.#window, this.#state()).map((wait) => ({
      ...wait,
      untilMs: wait.untilMs === null ? null : this.#localMs(wait.untilMs + AFTER_RESET_MS),
    }));
    return { window: this.#shownWindow(), inFlight: this.#inFlight, waiting, calls };
  }

  #shownWindow(): RateSnapshot['window'] {
    if (this.#window === undefined || this.#window === 'unlimited') return this.#window;
    const { limit, remaining, resetMs } = this.#window;
    if (this.#serverTime.now() >= resetMs) return { limit, remaining: limit, resetMs: null };
    return { limit, remaining, resetMs: this.#localMs(resetMs) };
  }

  #localMs(serverMs: number): number {
    return this.#clock.now() + this.#serverTime.msUntil(serverMs);
  }

  #waiterFor({ priority, changes = false }: Asked): Waiter {
    const requester = currentRequester();
    const job = this.#jobBehind(requester);
    const kind = this.#kindOf(priority, changes, job);
    if (job && priority === 'interactive' && !changes && typeof this.#window === 'object')
      this.#looks.add(job.group, this.#window);
    return new Waiter({ ...(job ?? NO_JOB), kind, priority, requester });
  }

  /** Of a look that the program would have now. */
  #kindNow(priority: Priority): Kind {
    return this.#kindOf(priority, false, this.#jobBehind(currentRequester()));
  }

  #kindOf(priority: Priority, changes: boolean, job: Job | undefined): Kind {
    if (priority === 'data') return 'work';
    if (priority !== 'interactive') return priority;
    if (changes) return 'change';
    const isBulk = job && typeof this.#window === 'object' && this.#looks.isBulk(job.group, this.#window);
    return isBulk ? 'work' : 'look';
  }

  /** Undefined: no program asks. Without a limit it does not matter which one does, and costs nothing. */
  #jobBehind(requester: Requester | undefined): Job | undefined {
    if (!requester || this.#window === 'unlimited') return undefined;
    const { thread } = requester;
    return thread === 0 ? NO_JOB : (this.#jobOf(thread) ?? { process: thread, group: thread });
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
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) this.#go(next);
    this.#sleepUntilNext();
  }

  #takeNext(): Waiter | undefined {
    if (this.#waiters.size === 0) return undefined;
    const known = new Map<Kind, boolean>();
    return this.#waiters.take(({ kind }) => {
      const mayGo = known.get(kind) ?? this.#goesAt(kind) === AT_ONCE;
      known.set(kind, mayGo);
      return mayGo;
    });
  }

  #go(waiter: Waiter): void {
    this.#inFlight += 1;
    if (waiter.kind === 'change') this.#lastChangeMs = this.#state().nowMs;
    waiter.go({ known: this.#window });
  }

  #goesAt(kind: Kind): number | undefined {
    return goesAt(this.#window, kind, this.#state());
  }

  #state(): RateState {
    const nowMs = this.#serverTime.now() - AFTER_RESET_MS;
    return { inFlight: this.#inFlight, nowMs, lastChangeMs: this.#lastChangeMs };
  }

  /** One sleeper for all who wait; it ends with the last of them, so that no timer outlives its use. */
  #sleepUntilNext(): void {
    const kinds = new Set<Kind>();
    for (const { kind } of this.#waiters.inOrder()) kinds.add(kind);
    // One that waits for an answer is let go by that.
    const moments = [...kinds].flatMap((kind) => this.#goesAt(kind) ?? []);
    const untilMs = moments.length === 0 ? undefined : Math.min(...moments);
    if (untilMs !== undefined && Math.abs(untilMs - (this.#sleep?.untilMs ?? 0)) < SAME_MOMENT_MS) return;
    this.#sleep?.end.abort();
    this.#sleep = undefined;
    if (untilMs !== undefined) this.#sleepUntil(untilMs);
  }

  #sleepUntil(untilMs: number): void {
    const sleep = { untilMs, end: new AbortController() };
    this.#sleep = sleep;
    const ms = Math.max(0, Math.ceil(untilMs - this.#state().nowMs));
    this.#tellWait(untilMs, ms);
    const isLong = ms > USUAL_INTERVAL_MS;
    const awake = (): void => {
      if (this.#sleep !== sleep) return;
      this.#sleep = undefined;
      if (isLong) this.#probe();
      this.#letGo();
    };
    this.#clock.sleep(isLong ? PROBE_EVERY_MS : ms, sleep.end.signal).then(awake, () => {});
  }

  #tellWait(untilMs: number, ms: number): void {
    const isForReset = typeof this.#window === 'object' && untilMs === this.#window.resetMs;
    if (!isForReset || Math.abs(untilMs - this.#toldResetMs) < SAME_RESET_MS) return;
    this.#toldResetMs = untilMs;
    this.#onWait(ms);
  }

  /** Lets the next in line go against the window that is known: only an answer can say that it is wrong. */
  #probe(): void {
    if (this.#inFlight > 0) return;
    const next = this.#waiters.take(() => true);
    if (next) this.#go(next);
  }
}
