import type { Priority } from '../api.ts';
import type { Answer } from './call.ts';

/** What is left of the current interval, as the service told it last. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** When the interval ends, in milliseconds of the service's clock. */
  readonly resetMs: number;
}

/** Reads `X-RateLimit-*`; undefined when the service sets no limit. */
export function rateWindowOf(headers: Answer['headers']): RateWindow | undefined {
  const limit = Number(headers['x-ratelimit-limit'] ?? 'none');
  const remaining = Number(headers['x-ratelimit-remaining'] ?? 'none');
  const resetMs = Number(headers['x-ratelimit-reset'] ?? 'none') * 1000;
  const known = Number.isFinite(limit) && Number.isFinite(remaining) && Number.isFinite(resetMs);
  return known && limit > 0 ? { limit, remaining: Math.max(0, remaining), resetMs } : undefined;
}

/** Answers overtake each other: within an interval the lowest number is the newest. */
export function newerWindow(known: RateWindow | undefined, told: RateWindow): RateWindow {
  if (known === undefined || told.resetMs > known.resetMs) {
    return told;
  }
  if (told.resetMs < known.resetMs) {
    return known;
  }
  return { ...told, remaining: Math.min(known.remaining, told.remaining) };
}

/** The share of an interval that a priority leaves to those above it. */
const LEFT_TO_HIGHER: Readonly<Record<Priority, number>> = {
  interactive: 0,
  data: 0.02,
  prefetch: 0.1,
  background: 0.3,
};

/**
 * Whether one more request may go now. `inFlight` are those sent whose answers did not tell their count yet. Before
 * the first answer nothing is known of the interval, and it may be nearly used up: one request goes ahead.
 */
export function mayGo(
  window: RateWindow | 'unlimited' | undefined,
  state: { readonly priority: Priority; readonly inFlight: number; readonly nowMs: number },
): boolean {
  if (window === undefined) {
    return state.inFlight === 0;
  }
  if (window === 'unlimited') {
    return true;
  }
  const remaining = state.nowMs >= window.resetMs ? window.limit : window.remaining;
  return remaining - state.inFlight > Math.floor(window.limit * LEFT_TO_HIGHER[state.priority]);
}
