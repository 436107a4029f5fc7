/**
 * Watches the jobs of one kind until they are over: one loop for all of them, however many wait.
 *
 * Without capability `job_wait` the loop asks every two seconds, more seldom the longer nothing changes. With it, the
 * service holds the question back until something changes, and no time is lost; a job that is added meanwhile
 * interrupts the question, so that the next one is about it too.
 *
 * A question that fails ends the waiting for the jobs it was about with its error, but not the watching: the jobs go on.
 */
import type { CallOptions } from '../api/call-options.ts';
import { JOB_WAIT_SECONDS_MAX } from '../contract/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { inGroups } from '../lib/in-groups.ts';
import { sharedAbortController } from '../lib/shared-signals.ts';
import { untilAborted } from '../lib/until-aborted.ts';

export interface Watched<J> {
  readonly job: J;
  readonly isOver: boolean;
  /** Changes when the job does. */
  readonly state: string;
}

export interface JobSource<J> {
  /** How many jobs one question can be about. */
  readonly groupSize: number;
  /** Answers in the order of the ids; undefined for a job of which nothing was told this time. */
  ask(
    ids: readonly string[],
    options: CallOptions & { readonly waitSeconds?: number },
  ): Promise<readonly (Watched<J> | undefined)[]>;
  /** Told of every job after every question that told of it. */
  onAnswer(id: string, watched: Watched<J>): void;
  /** Whether the service offers `job_wait`. */
  canHoldBack(): Promise<boolean>;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 10_000;

/** Nobody asks about the jobs any more, which go on. */
export class WatchingEnded extends Error {
  override readonly name = 'WatchingEnded';

  constructor() {
    super('the watching ended');
  }
}

interface Waiter<J> {
  readonly resolve: (job: J) => void;
  readonly reject: (reason: unknown) => void;
}

export class JobWatch<J> {
  readonly #source: JobSource<J>;
  readonly #clock: Clock;
  /** The jobs watched, and who waits for each. */
  readonly #waiters = new Map<string, Set<Waiter<J>>>();
  readonly #states = new Map<string, string>();
  readonly #closed = sharedAbortController();
  #question = sharedAbortController();
  /** A pause that grew because nothing changed; a job that is added ends it. */
  #longPause: AbortController | undefined;
  #running = false;

  constructor(source: JobSource<J>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Begins to watch jobs that were just started. */
  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.#waiters.set(id, this.#waiters.get(id) ?? new Set());
    }
    const reason = new Error('another job is to be watched');
    this.#question.abort(reason);
    this.#longPause?.abort(reason);
    if (!this.#running) {
      this.#running = true;
      void this.#loop();
    }
  }

  /** The job when it is over; it must be watched. Rejects with the signal's reason, or as asking did. */
  wait(id: string, signal?: AbortSignal): Promise<J> {
    if (this.#closed.signal.aborted) return Promise.reject(this.#closed.signal.reason);
    const waiters = this.#waiters.get(id);
    if (!waiters) {
      return Promise.reject(new Error(`the job ${id} is not watched`));
    }
    let forget = (): void => {};
    const over = new Promise<J>((resolve, reject) => {
      const waiter = { resolve, reject };
      forget = () => waiters.delete(waiter);
      waiters.add(waiter);
    });
    return untilAborted(over, signal).finally(forget);
  }

  isWatching(id: string): boolean {
    return this.#waiters.has(id);
  }

  close(): void {
    this.#closed.abort(new WatchingEnded());
    this.#question.abort(this.#closed.signal.reason);
    this.#longPause?.abort(this.#closed.signal.reason);
    this.#failWaiters(this.#waiters.keys(), this.#closed.signal.reason);
  }

  async #loop(): Promise<void> {
    let quietRounds = 0;
    while (this.#waiters.size > 0 && !this.#closed.signal.aborted) {
      try {
        const changed = await this.#round(quietRounds);
        quietRounds = changed ? 0 : quietRounds + 1;
      } catch (error) {
        quietRounds += 1;
        this.#failWaiters(this.#waiters.keys(), error);
      }
    }
    this.#running = false;
  }

  /** One pause or held-back question about all jobs; answers whether any changed. */
  async #round(quietRounds: number): Promise<boolean> {
    this.#question = sharedAbortController();
    const ids = [...this.#waiters.keys()];
    const groups = inGroups(ids, this.#source.groupSize);
    const holdBack = groups.length === 1 && quietRounds < 2 && (await this.#canHoldBack());
    const pauseMs = holdBack ? this.#gatheringPauseMs(ids) : pollPauseMs(quietRounds);
    if (!(await this.#pause(pauseMs))) {
      return true;
    }
    const startedMs = this.#clock.monotonic();
    const answers = await Promise.all(groups.map((group) => this.#ask(group, holdBack)));
    if (answers.includes('failed')) {
      return false;
    }
    const changed = answers.includes('changed');
    const answeredAtOnce = holdBack && this.#clock.monotonic() - startedMs < 1000;
    // A held-back question that comes back early with nothing new, and was not interrupted, is not held back at all.
    return changed || (holdBack && !answeredAtOnce) || this.#question.signal.aborted;
  }

  /** False when a job was added during a pause that had grown: the rhythm begins anew, and no new job waits long. */
  async #pause(ms: number): Promise<boolean> {
    if (ms === 0) {
      return true;
    }
    if (ms <= FIRST_PAUSE_MS) {
      await this.#clock.sleep(ms, this.#closed.signal);
      return true;
    }
    this.#longPause = sharedAbortController();
    try {
      await this.#clock.sleep(ms, this.#longPause.signal);
      return true;
    } catch {
      return false;
    } finally {
      this.#longPause = undefined;
    }
  }

  /**
   * A held-back question about many jobs is answered for each of them that ends. Waiting a little first gathers
   * several ends in one answer; a job alone, and jobs not asked about before, wait for nothing.
   */
  #gatheringPauseMs(ids: readonly string[]): number {
    const askedBefore = ids.every((id) => this.#states.has(id));
    return ids.length > 1 && askedBefore ? Math.min(FIRST_PAUSE_MS, 100 * ids.length) : 0;
  }

  async #canHoldBack(): Promise<boolean> {
    return this.#source.canHoldBack().catch(() => false);
  }

  async #ask(ids: readonly string[], holdBack: boolean): Promise<'changed' | 'same' | 'failed'> {
    const interrupted = this.#question.signal;
    const someoneWaits = ids.some((id) => (this.#waiters.get(id)?.size ?? 0) > 0);
    try {
      const answers = await this.#source.ask(ids, {
        priority: someoneWaits ? 'data' : 'background',
        signal: holdBack ? interrupted : this.#closed.signal,
        ...(holdBack && { waitSeconds: JOB_WAIT_SECONDS_MAX }),
      });
      return ids.map((id, index) => this.#take(id, answers[index])).some(Boolean) ? 'changed' : 'same';
    } catch (error) {
      if (interrupted.aborted) {
        return 'same';
      }
      this.#failWaiters(ids, error);
      return 'failed';
    }
  }

  #take(id: string, watched: Watched<J> | undefined): boolean {
    if (!watched) {
      return false;
    }
    this.#source.onAnswer(id, watched);
    if (watched.isOver) {
      const waiters = this.#waiters.get(id) ?? [];
      this.#waiters.delete(id);
      this.#states.delete(id);
      for (const { resolve } of waiters) {
        resolve(watched.job);
      }
      return true;
    }
    const changed = this.#states.get(id) !== watched.state;
    this.#states.set(id, watched.state);
    return changed;
  }

  #failWaiters(ids: Iterable<string>, error: unknown): void {
    for (const id of ids) {
      const waiters = this.#waiters.get(id);
      for (const { reject } of waiters ?? []) {
        reject(error);
      }
      waiters?.clear();
    }
  }
}

function pollPauseMs(quietRounds: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** Math.min(quietRounds, 10));
}
