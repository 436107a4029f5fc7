/**
 * Makes what several callers wrote durable with as few syncs as may be: those who write while a sync is under way share the
 * next one, which begins when that is over.
 *
 * A sync covers what was noted before it began. When it fails, all who wait for it are told.
 */
export class GroupSync {
  readonly #sync: () => Promise<void>;
  #written = 0;
  #durable = 0;
  #running: Promise<void> | undefined;

  /** @param sync Makes everything durable that was written before it is called. */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Something was written. */
  note(): void {
    this.#written += 1;
  }

  /** Resolves when all that was noted before the call is durable; at once when it is so already. */
  async settled(): Promise<void> {
    const wanted = this.#written;
    while (this.#durable < wanted) {
      this.#running ??= this.#run();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    const covered = this.#written;
    try {
      await this.#sync();
      this.#durable = covered;
    } finally {
      this.#running = undefined;
    }
  }
}
