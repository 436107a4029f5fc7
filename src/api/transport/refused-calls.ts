import type { Clock } from '../../lib/clock.ts';
import { jobOf } from '../../lib/process-table.ts';
import { currentRequester, type Requester } from '../../lib/requester.ts';
import { programOf, type RateWait } from './rate-waits.ts';

/** For `.svcfs/stats`, where what is absent is null. */
export interface RefusedSnapshot {
  readonly calls: number;
  /** When the last of them is sent again, in milliseconds of this machine's clock. */
  readonly untilMs: number | null;
}

interface Pause {
  readonly untilMs: number;
  readonly requester: Requester | undefined;
  readonly process: number;
}

/** Calls that were refused for the rate limit (429), and sit that out. */
export class RefusedCalls {
  readonly #clock: Clock;
  readonly #onPause: (ms: number) => void;
  readonly #pauses = new Set<Pause>();

  /** `onPause` is told of each pause, and how long it is. */
  constructor(clock: Clock, onPause: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#onPause = onPause;
  }

  /** Sleeps; rejects with the signal's reason when it fires first. */
  async sitOut(ms: number, signal: AbortSignal): Promise<void> {
    const requester = currentRequester();
    const process = (requester && jobOf(requester.thread)?.process) ?? 0;
    const pause = { untilMs: this.#clock.now() + ms, requester, process };
    this.#pauses.add(pause);
    this.#onPause(ms);
    await this.#clock.sleep(ms, signal).finally(() => this.#pauses.delete(pause));
  }

  /** They ask again before any other does. */
  waits(): readonly RateWait[] {
    return [...this.#pauses].map(({ untilMs, requester, process }) => ({
      before: 0,
      untilMs,
      program: programOf(requester, process),
    }));
  }

  snapshot(): RefusedSnapshot {
    const untilMs = [...this.#pauses].map((pause) => pause.untilMs);
    return { calls: untilMs.length, untilMs: untilMs.length === 0 ? null : Math.max(...untilMs) };
  }
}
