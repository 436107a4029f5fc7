import type { Clock } from '../../lib/clock.ts';

/** A call that takes so long is told of: others are answered by then. */
const TOLD_AFTER_MS = 1000;

/** For `.svcfs/stats`, where what is absent is null. */
export interface UnansweredSnapshot {
  readonly calls: number;
  /** When the first of them was sent, in milliseconds of this machine's clock. */
  readonly sinceMs: number | null;
  /** When the last of them is given up. */
  readonly untilMs: number | null;
}

interface Unanswered {
  sinceMs: number;
  untilMs: number;
}

/** One call, from when it is made until it has its answer, or is given up. */
export interface PendingCall {
  /** It is sent, and is tried for so long after the time that the service may hold its answer back. */
  sent(forMs: number, heldBackMs?: number): void;
  /** It waits for something else than its answer. */
  rests(): void;
}

/** Calls that were sent, perhaps more than once, and have no answer yet. */
export class UnansweredCalls {
  readonly #clock: Clock;
  readonly #calls = new Map<PendingCall, Unanswered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async during<T>(make: (call: PendingCall) => Promise<T>): Promise<T> {
    const call: PendingCall = {
      sent: (forMs, heldBackMs = 0) => {
        const dueMs = this.#clock.now() + heldBackMs;
        const { sinceMs } = this.#calls.get(call) ?? { sinceMs: dueMs };
        this.#calls.set(call, { sinceMs, untilMs: dueMs + forMs });
      },
      rests: () => void this.#calls.delete(call),
    };
    try {
      return await make(call);
    } finally {
      this.#calls.delete(call);
    }
  }

  snapshot(): UnansweredSnapshot {
    const toldBeforeMs = this.#clock.now() - TOLD_AFTER_MS;
    const late = [...this.#calls.values()].filter(({ sinceMs }) => sinceMs <= toldBeforeMs);
    if (late.length === 0) return { calls: 0, sinceMs: null, untilMs: null };
    return {
      calls: late.length,
      sinceMs: Math.min(...late.map(({ sinceMs }) => sinceMs)),
      untilMs: Math.max(...late.map(({ untilMs }) => untilMs)),
    };
  }
}
