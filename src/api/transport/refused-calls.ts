import type { Clock } from '../../lib/clock.ts';

/** For `.svcfs/stats`, where what is absent is null. */
export interface RefusedSnapshot {
  readonly calls: number;
  /** When the last of them is sent again, in milliseconds of this machine's clock. */
  readonly untilMs: number | null;
}

/** Calls that were refused for the rate limit (429), and sit that out. */
export class RefusedCalls {
  readonly #clock: Clock;
  readonly #onPause: (ms: number) => void;
  readonly #pauses = new Set<{ readonly untilMs: number }>();

  /** `onPause` is told of each pause, and how long it is. */
  constructor(clock: Clock, onPause: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#onPause = onPause;
  }

  /** Sleeps; rejects with the signal's reason when it fires first. */
  async sitOut(ms: number, signal: AbortSignal): Promise<void> {
    const pause = { untilMs: this.#clock.now() + ms };
    this.#pauses.add(pause);
    this.#onPause(ms);
    await this.#clock.sleep(ms, signal).finally(() => this.#pauses.delete(pause));
  }

  snapshot(): RefusedSnapshot {
    const untilMs = [...this.#pauses].map((pause) => pause.untilMs);
    return { calls: untilMs.length, untilMs: untilMs.length === 0 ? null : Math.max(...untilMs) };
  }
}
