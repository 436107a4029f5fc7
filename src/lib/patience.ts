import { type BackoffOptions, backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';

export interface PatienceOptions {
  readonly clock: Clock;
  /** How long failures in a row are borne, from the first one or from `begin`. */
  readonly timeoutMs: number;
  readonly backoff: BackoffOptions;
}

/** How long, and in what rhythm, something that keeps failing is tried again. */
export class Patience {
  readonly #options: PatienceOptions;
  #failures = 0;
  #deadlineMs: number | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** The time counts from now on, or from `sinceMs`: a try that has not ended yet is no better than a failure. */
  begin(sinceMs = this.#options.clock.monotonic()): void {
    this.#failures = 0;
    this.#deadlineMs = sinceMs + this.#options.timeoutMs;
  }

  /** The time counts from so long ago, unless it does already. */
  beganAgo(ms: number): void {
    this.#deadlineMs ??= this.#options.clock.monotonic() - ms + this.#options.timeoutMs;
  }

  /** Of the time, for the try that begins now. */
  get leftMs(): number {
    const { clock, timeoutMs } = this.#options;
    return this.#deadlineMs === undefined ? timeoutMs : Math.max(0, this.#deadlineMs - clock.monotonic());
  }

  /**
   * Pauses before another try; false, without a pause, when the time is over. Rejects with the signal's reason. `silentMs`: how
   * long nothing got further before the failure.
   */
  async anotherTry(signal?: AbortSignal, silentMs = 0): Promise<boolean> {
    const { clock, backoff } = this.#options;
    this.beganAgo(silentMs);
    const pauseMs = backoffMs(this.#failures, backoff);
    if (pauseMs > this.leftMs) {
      return false;
    }
    this.#failures += 1;
    await clock.sleep(pauseMs, signal);
    return true;
  }
}
