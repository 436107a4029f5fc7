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

/**
 * The kinds of calls that the rate limit tells apart:
 *
 * - `look`: a program waits to see something: a lookup, a listing, a file to open
 * - `change`: a program waits for a change of one entry
 * - `work`: bytes of files, jobs, and the looks of a program that has had many
 * - `prefetch`, `background`: nobody waits for it
 */
export type Kind = 'look' | 'change' | 'work' | 'prefetch' | 'background';

/** The share of an interval that each kind leaves to others. The reserve of 15 % is for looks. */
const LEFT_TO_OTHERS: Readonly<Record<Kind, number>> = {
  look: 0,
  change: 0.15,
  work: 0.15,
  prefetch: 0.2,
  background: 0.3,
};
/** Changes are spread over the rest of an interval when less than this share of it is left. */
const PACED_BELOW = 0.5;

export interface RateState {
  /** Sent, and their answers did not tell their count yet. */
  readonly inFlight: number;
  /** By the clock of `RateWindow.resetMs`. */
  readonly nowMs: number;
  /** When a change was last let go. */
  readonly lastChangeMs: number;
}

/** A call that may go at once. */
export const AT_ONCE = Number.NEGATIVE_INFINITY;

/**
 * When one more call may go; undefined: not before the next answer. Before the first answer nothing is known of the
 * interval, and it may be nearly used up: one request goes ahead.
 */
export function goesAt(
  window: RateWindow | 'unlimited' | undefined,
  kind: Kind,
  { inFlight, nowMs, lastChangeMs }: RateState,
): number | undefined {
  if (window === undefined) return inFlight === 0 ? AT_ONCE : undefined;
  if (window === 'unlimited') return AT_ONCE;
  const { limit, resetMs } = window;
  const isOver = nowMs >= resetMs;
  const left = (isOver ? limit : window.remaining) - inFlight;
  const forIt = left - Math.floor(limit * LEFT_TO_OTHERS[kind]);
  if (forIt <= 0) return isOver ? undefined : resetMs;
  if (kind !== 'change' || isOver || left > limit * PACED_BELOW) return AT_ONCE;
  const atMs = lastChangeMs + (resetMs - nowMs) / forIt;
  return atMs <= nowMs ? AT_ONCE : Math.min(atMs, resetMs);
}
