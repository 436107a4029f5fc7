import type { Priority } from '../api.ts';
import type { Answer } from './call.ts';

/** The rest of the current interval, as the service told it last. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** When the interval ends, in milliseconds of the service's clock. */
  readonly resetMs: number;
}

/** The platform's 5 minutes, and what clocks may differ: a longer wait may be owed to one wrong answer. */
export const USUAL_INTERVAL_MS = 6 * 60_000;
/** No wait that a service asks for is believed to be longer. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** Reads `X-RateLimit-*`; undefined when the service sets no limit. */
export function rateWindowOf(headers: Answer['headers'], serverNowMs: number): RateWindow | undefined {
  const limit = Number(headers['x-ratelimit-limit'] ?? 'none');
  const remaining = Number(headers['x-ratelimit-remaining'] ?? 'none');
  const reset = Number(headers['x-ratelimit-reset'] ?? 'none');
  const known = Number.isFinite(limit) && Number.isFinite(remaining) && Number.isFinite(reset);
  if (!known || limit <= 0) return undefined;
  const resetMs = Math.min(momentOf(reset, serverNowMs), serverNowMs + LONGEST_WAIT_MS);
  return { limit, remaining: Math.max(0, remaining), resetMs };
}

/** Below, a reset cannot be seconds since the epoch (that was 2001); above the other, it must be milliseconds. */
const SMALLEST_EPOCH_SECONDS = 1e9;
const LARGEST_EPOCH_SECONDS = 1e11;

/** The platform tells seconds since the epoch; others of its kind milliseconds, or seconds from now. */
function momentOf(reset: number, serverNowMs: number): number {
  if (reset > LARGEST_EPOCH_SECONDS) return reset;
  return reset < SMALLEST_EPOCH_SECONDS ? serverNowMs + 1000 * reset : 1000 * reset;
}

/** Resets are told in whole seconds. */
const SAME_RESET_MS = 1000;

/** Of two requests under way together: answers overtake each other, and within an interval the lowest number is the newest. */
export function newerWindow(known: RateWindow, told: RateWindow): RateWindow {
  const laterMs = told.resetMs - known.resetMs;
  if (laterMs >= SAME_RESET_MS) return told;
  if (laterMs <= -SAME_RESET_MS) return known;
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
