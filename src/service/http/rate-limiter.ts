export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in unix seconds. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Requests counted in fixed windows, per key. */
export interface RateLimiter {
  /** Counts one request. */
  count(key: string): Promise<RateState>;
  /** Reads the state and counts nothing. */
  peek(key: string): Promise<RateState>;
}

export interface HasRateLimiter {
  readonly rateLimiter: RateLimiter;
}

export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}
