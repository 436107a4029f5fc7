import type { Clock } from '../../../lib/clock.ts';
import type { RateLimit, RateLimiter, RateState } from '../../http/rate-limiter.ts';

interface Window {
  readonly endsMs: number;
  used: number;
}

/** The limit that a service without one announces: so high that no client waits. */
const UNLIMITED: RateLimit = { requests: 1_000_000_000, seconds: 300 };

/** Counts in this process alone. A window begins with the first request after the last one ended. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #enforced: boolean;
  readonly #windows = new Map<string, Window>();

  constructor(limit: RateLimit | 'off', clock: Clock) {
    this.#clock = clock;
    this.#enforced = limit !== 'off';
    this.#limit = limit === 'off' ? UNLIMITED : limit;
  }

  count(key: string): Promise<RateState> {
    if (!this.#enforced) return this.peek(key);
    const window = this.#current(key) ?? this.#begin(key);
    const exceeded = window.used >= this.#limit.requests;
    if (!exceeded) window.used += 1;
    return Promise.resolve(this.#state(window, exceeded));
  }

  peek(key: string): Promise<RateState> {
    return Promise.resolve(this.#state(this.#current(key), false));
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    const leftMs = (window?.endsMs ?? 0) - this.#clock.now();
    // More is left than a whole window when the clock was set back: it would be for as long.
    return leftMs > 0 && leftMs <= this.#limit.seconds * 1000 ? window : undefined;
  }

  #begin(key: string): Window {
    const now = this.#clock.now();
    for (const [other, { endsMs }] of this.#windows) if (endsMs <= now) this.#windows.delete(other);
    const window = { endsMs: now + this.#limit.seconds * 1000, used: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #state(window: Window | undefined, exceeded: boolean): RateState {
    const limit = this.#limit.requests;
    const endsMs = window?.endsMs ?? this.#clock.now() + this.#limit.seconds * 1000;
    return { limit, remaining: limit - (window?.used ?? 0), reset: Math.ceil(endsMs / 1000), exceeded };
  }
}
