import type { Clock } from '../../../lib/clock.ts';
import type { RateLimit, RateLimiter, RateState } from '../../http/rate-limiter.ts';
import type { Store } from '../../store/store.ts';
import { rateWindowsIn } from './rate-window-table.ts';

/** Counts in the database, for all processes together. Windows are those of `MemoryRateLimiter`. */
export class StoreRateLimiter implements RateLimiter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limit: RateLimit;

  constructor(store: Store, limit: RateLimit, clock: Clock) {
    this.#store = store;
    this.#limit = limit;
    this.#clock = clock;
  }

  async count(key: string): Promise<RateState> {
    const most = this.#limit.requests;
    const window = await rateWindowsIn(this.#store).count(key, { ...this.#times(), most });
    return window === undefined ? { ...(await this.peek(key)), exceeded: true } : this.#state(window);
  }

  async peek(key: string): Promise<RateState> {
    const times = this.#times();
    const window = await rateWindowsIn(this.#store).find(key, times);
    return this.#state(window ?? { used: 0, ends: times.ends });
  }

  #times(): { readonly now: number; readonly ends: number } {
    const now = this.#clock.now();
    return { now, ends: now + this.#limit.seconds * 1000 };
  }

  #state({ used, ends }: { readonly used: number; readonly ends: number }): RateState {
    const limit = this.#limit.requests;
    // The limit may be lower than that of the process which counted before.
    return { limit, remaining: Math.max(0, limit - used), reset: Math.ceil(ends / 1000), exceeded: false };
  }
}
