import type { ServerTime } from '../transport/server-time.ts';

/** Longer than any call is tried. */
const KEPT_MS = 3_600_000;

/** Jobs whose start was answered lately: one that was started without an answer is none of them. */
export class AnsweredJobs {
  readonly #serverTime: ServerTime;
  /** When each was answered, oldest first. */
  readonly #jobs = new Map<string, number>();

  constructor(serverTime: ServerTime) {
    this.#serverTime = serverTime;
  }

  add(id: string): void {
    const now = this.#serverTime.now();
    this.#jobs.set(id, now);
    for (const [oldest, answeredMs] of this.#jobs) {
      if (now - answeredMs < KEPT_MS) break;
      this.#jobs.delete(oldest);
    }
  }

  /** `beforeMs`: only if it was answered before. */
  has(id: string, beforeMs = Number.POSITIVE_INFINITY): boolean {
    const answeredMs = this.#jobs.get(id);
    return answeredMs !== undefined && answeredMs < beforeMs;
  }
}
