import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../lib/clock.ts';

/** `work`: there may be a job to take. `changed`: a job is in another state. */
export type JobNews = 'work' | 'changed';

/**
 * News of jobs, so that a job starts, and who waits for it hears of its end, without the delay of polling. Other processes
 * hear of it where the database can tell them (share-job-news.ts), and not for certain: every wait also has a time after
 * which one looks again.
 */
export class JobSignals {
  readonly #clock: Clock;
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #counts: Record<JobNews, number> = { work: 0, changed: 0 };
  #tellOthers: (news: JobNews) => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on passes what is told here to other processes. */
  shareWith(tellOthers: (news: JobNews) => void): void {
    this.#tellOthers = tellOthers;
  }

  /** News that arose in this process. */
  tell(news: JobNews): void {
    this.hear(news);
    this.#tellOthers(news);
  }

  /** News for this process alone. */
  hear(news: JobNews): void {
    this.#counts[news] += 1;
    this.#emitter.emit(news);
  }

  /** How much news there has been. To be read before one looks, so that what comes while one looks is not missed. */
  count(news: JobNews): number {
    return this.#counts[news];
  }

  /** Resolves when there is news after the given count, after `ms`, or when the signal fires, whichever is first. */
  async after(
    count: number,
    news: JobNews,
    { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    if (this.#counts[news] > count) return;
    const over = new AbortController();
    const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
    const waits = [once(this.#emitter, news, { signal: either }), this.#clock.sleep(ms, either)];
    await Promise.race(waits.map((wait) => wait.catch(() => undefined)));
    over.abort();
  }
}

export interface HasJobSignals {
  /** Wakes the worker, and those that wait for a job. */
  readonly jobSignals: JobSignals;
}
