import type { Api } from '../../../api/api.ts';
import { BULK_ITEMS_MAX } from '../../../contract/limits.ts';
import type { Clock } from '../../../lib/clock.ts';
import { sharedAbortController } from '../../../lib/shared-signals.ts';
import { isOver } from '../../../tasks/task-status.ts';
import { errnoOfFailure } from '../../errors/errno-of.ts';
import type { KnownTasks } from './known-tasks.ts';

export const WATCH_PERIOD_MS = 5000;
/** A program that looks again and again is heard of once a TTL: the kernel answers in between. */
const WATCHED_TTLS = 3;

interface Watched {
  lookedMs: number;
  askedMs: number;
}

/**
 * Asks how tasks are that programs look at, by one call each five seconds, as long as they look. A draft is asked about when
 * a program has read in its directory: a list of drafts changes only when somebody runs one.
 */
export class WatchTasks {
  readonly #api: Pick<Api, 'tasks' | 'isSpent'>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #known: KnownTasks;
  readonly #watched = new Map<string, Watched>();
  readonly #closed = sharedAbortController();
  #isAtWork = false;

  constructor(
    {
      api,
      clock,
      ttlMs,
    }: { readonly api: Pick<Api, 'tasks' | 'isSpent'>; readonly clock: Clock; readonly ttlMs: number },
    known: KnownTasks,
  ) {
    this.#api = api;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#known = known;
  }

  /** A program looks at the directory of a task, or at what is in it. */
  looked(id: string, inside: boolean): void {
    const status = this.#known.recordOf(id)?.status;
    if (status === undefined || isOver(status) || (status === 'DRAFT' && !inside)) return;
    const nowMs = this.#clock.elapsed();
    const watched = this.#watched.get(id) ?? { lookedMs: nowMs, askedMs: nowMs };
    watched.lookedMs = nowMs;
    this.#watched.set(id, watched);
    if (!this.#isAtWork) void this.#work();
  }

  close(): void {
    this.#closed.abort();
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    const { signal } = this.#closed;
    while (!signal.aborted && this.#watched.size > 0) {
      await this.#clock.sleep(WATCH_PERIOD_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.#ask(signal);
    }
    this.#isAtWork = false;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.elapsed();
    for (const [id, { lookedMs }] of this.#watched)
      if (nowMs - lookedMs > WATCHED_TTLS * this.#ttlMs) this.#watched.delete(id);
    if (this.#watched.size === 0 || this.#api.isSpent()) return;
    // More than fit into a call take turns.
    const longest = [...this.#watched].sort(([, a], [, b]) => a.askedMs - b.askedMs).slice(0, BULK_ITEMS_MAX);
    for (const [, watched] of longest) watched.askedMs = nowMs;
    const ids = longest.map(([id]) => id);
    try {
      const answers = await this.#api.tasks.bulkGet(ids, { signal, priority: 'background' });
      ids.forEach((id, index) => {
        const answer = answers[index];
        if (answer?.ok) this.#known.learn([answer.value]);
        else if (answer && errnoOfFailure(answer.failure) === 'ENOENT') this.#known.lose(id);
        if (answer?.ok !== true || isOver(answer.value.status)) this.#watched.delete(id);
      });
    } catch {
      // Programs that look are told of what is wrong by their own calls.
    }
  }
}
