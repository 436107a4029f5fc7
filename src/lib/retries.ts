import { backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';
import { sharedAbortController } from './shared-signals.ts';

/** Between tries. */
const RETRY = { baseMs: 1000, capMs: 60_000 };

/** Work that nobody waits for beyond its first try, tried again in the background until it is done, or until `close`. */
export class Retries<T> {
  readonly #clock: Clock;
  readonly #isDone: (work: T) => Promise<boolean>;
  readonly #waiting = new Set<T>();
  readonly #end = sharedAbortController();
  #isTrying = false;

  /** `isDone` makes one try, and never rejects. */
  constructor(clock: Clock, isDone: (work: T) => Promise<boolean>) {
    this.#clock = clock;
    this.#isDone = isDone;
  }

  /** Waits for the first try only. Never rejects. */
  async add(work: T): Promise<void> {
    if (await this.#isDone(work)) return;
    this.#waiting.add(work);
    if (!this.#isTrying) void this.#tryOn();
  }

  /** Tries once more, now. Never rejects. */
  async tryAll(): Promise<void> {
    const tries = [...this.#waiting].map(async (work) => {
      if (await this.#isDone(work)) this.#waiting.delete(work);
    });
    await Promise.all(tries);
  }

  /** Tries no more. */
  close(): void {
    this.#end.abort();
  }

  async #tryOn(): Promise<void> {
    this.#isTrying = true;
    for (let failures = 0; this.#waiting.size > 0; failures += 1) {
      await this.#clock.sleep(backoffMs(failures, RETRY), this.#end.signal).catch(() => undefined);
      if (this.#end.signal.aborted) return;
      await this.tryAll();
    }
    this.#isTrying = false;
  }
}
