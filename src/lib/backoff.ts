export interface BackoffOptions {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Exponential backoff with full jitter: anywhere between 0 and `base * 2^tries`, at most the cap, so that clients
 * which failed together do not come back together.
 */
export function backoffMs(
  tries: number,
  options: BackoffOptions,
  random: () => number = Math.random,
): number {
  return random() * Math.min(options.capMs, options.baseMs * 2 ** tries);
}
