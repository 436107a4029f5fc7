/**
 * Whose upload goes on when closes left many behind (write-back). While programs close file after file they have the
 * machine and few uploads go beside them; when they pause, many do.
 */
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.ts';

const WHILE_BUSY = 4;
const WHEN_QUIET = 32;
/** Without a close. */
const QUIET_MS = 100;

export class UploadTurns {
  readonly #clock: Clock;
  readonly #queue = new PQueue({ concurrency: WHEN_QUIET });
  #lastCloseMs = 0;
  #waiting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs an upload when its turn comes. */
  run<T>(upload: () => Promise<T>): Promise<T> {
    return this.#queue.add(upload);
  }

  /** A file was closed, and is to be uploaded. */
  closed(): void {
    this.#lastCloseMs = this.#clock.now();
    if (this.#waiting) return;
    this.#waiting = true;
    this.#queue.concurrency = WHILE_BUSY;
    void this.#untilQuiet().then(() => {
      this.#waiting = false;
      this.#queue.concurrency = WHEN_QUIET;
    });
  }

  async #untilQuiet(): Promise<void> {
    for (let leftMs = QUIET_MS; leftMs > 0; ) {
      await this.#clock.sleep(leftMs);
      leftMs = this.#lastCloseMs + QUIET_MS - this.#clock.now();
    }
  }
}
