import type { Logger } from '../observe/logger.ts';

/**
 * The end of a process, told by a signal: what is at work is finished, for a time, and nothing is begun. Then everything is
 * let go of.
 */
export class Shutdown {
  readonly #closing = new AbortController();
  readonly #hurry = new AbortController();
  readonly #logger: Logger;
  #done: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Fires when the process is to end. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Told a second time, it waits no longer.
   *
   * @param steps `finish` lets work end, or breaks it off when its signal fires; `release` comes after that
   */
  close(
    seconds: number,
    steps: { finish(hurry: AbortSignal): Promise<unknown>; release(): Promise<void> },
  ): Promise<void> {
    if (this.#done !== undefined) this.#hurry.abort();
    this.#done ??= this.#close(seconds, steps);
    return this.#done;
  }

  async #close(
    seconds: number,
    { finish, release }: { finish(hurry: AbortSignal): Promise<unknown>; release(): Promise<void> },
  ): Promise<void> {
    this.#closing.abort();
    // Real time, whichever clock the service has: the operator waits.
    const timer = setTimeout(() => this.#hurry.abort(), seconds * 1000);
    const hurried = new Promise<'hurried'>((resolve) => {
      this.#hurry.signal.addEventListener('abort', () => setTimeout(resolve, LAST_MS, 'hurried'));
    });
    const end = await Promise.race([finish(this.#hurry.signal), hurried]);
    if (end === 'hurried') this.#logger.warn({ seconds }, 'ended with work unfinished');
    clearTimeout(timer);
    await release();
  }
}

/** Work that is broken off gets so long to notice. */
const LAST_MS = 1000;
