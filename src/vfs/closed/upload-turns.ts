/**
 * Decides which upload goes on when closes left many behind (write-back). While programs close file after file they have
 * the machine, and few uploads go beside them. When they pause, many do. An upload has its turn until the file is
 * published. Small files have turns of their own, and do not wait for large ones.
 */
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.ts';

const WHILE_BUSY = 4;
const WHEN_QUIET = 32;
const LARGE_FROM_BYTES = 16 * 1024 * 1024;
/** Without a close. */
const QUIET_MS = 100;

export class UploadTurns {
  readonly #clock: Clock;
  readonly #small = new PQueue({ concurrency: WHEN_QUIET });
  readonly #large = new PQueue({ concurrency: WHEN_QUIET });
  #lastCloseMs = 0;
  #waiting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs an upload when its turn comes. One of unknown size may take long. */
  run<T>(upload: () => Promise<T>, sizeBytes = Number.POSITIVE_INFINITY): Promise<T> {
    const queue = sizeBytes < LARGE_FROM_BYTES ? this.#small : this.#large;
    return queue.add(upload);
  }

  /** A file was closed, and is to be uploaded. */
  closed(): void {
    this.#lastCloseMs = this.#clock.monotonic();
    if (this.#waiting) return;
    this.#waiting = true;
    this.#allow(WHILE_BUSY);
    void this.#untilQuiet().then(() => {
      this.#waiting = false;
      this.#allow(WHEN_QUIET);
    });
  }

  #allow(turns: number): void {
    this.#small.concurrency = turns;
    this.#large.concurrency = turns;
  }

  async #untilQuiet(): Promise<void> {
    for (let leftMs = QUIET_MS; leftMs > 0; ) {
      await this.#clock.sleep(leftMs);
      leftMs = this.#lastCloseMs + QUIET_MS - this.#clock.monotonic();
    }
  }
}
