/** How long requests take at the budget that is left. */

/** The window of the rate limit, as far as the service told it. */
interface Window {
  readonly limit: number;
  readonly remaining: number;
  /** In milliseconds of this machine's clock; null: no interval has begun. */
  readonly resetMs: number | null;
}

/** The platform's five minutes. */
const INTERVAL_MS = 300_000;
/** The share of an interval that work on many files leaves to others. */
const LEFT_TO_OTHERS = 0.15;
/** For an answer, with some calls side by side. */
const ANSWER_MS = 50;

export function estimateMs(
  requests: number,
  window: Window | 'unlimited' | undefined,
  nowMs: number,
): number {
  const answersMs = requests * ANSWER_MS;
  if (window === undefined || window === 'unlimited') return answersMs;
  const reserve = Math.ceil(window.limit * LEFT_TO_OTHERS);
  const usable = Math.max(1, window.limit - reserve);
  const missing = requests - Math.max(0, window.remaining - reserve);
  if (missing <= 0) return answersMs;
  const untilResetMs = window.resetMs === null ? INTERVAL_MS : Math.max(0, window.resetMs - nowMs);
  const waits = Math.ceil(missing / usable);
  const lastMs = (missing - (waits - 1) * usable) * ANSWER_MS;
  return untilResetMs + (waits - 1) * INTERVAL_MS + lastMs;
}

/** The share of an interval that changes of programs take as they come: beyond that they are spread over the rest of it. */
const UNPACED = 0.5;

/**
 * The same for a program whose requests follow each other, on a mount that spreads its changes (0052-fair-share.md). What it
 * knows of a file is asked for again before a change when that is older than `believedMs`: changes that are spread cost more.
 */
export function estimatePacedMs(
  requests: number,
  window: Window | 'unlimited' | undefined,
  nowMs: number,
  believedMs = Number.POSITIVE_INFINITY,
): number {
  if (window === undefined || window === 'unlimited') return requests * ANSWER_MS;
  const { limit } = window;
  const untilResetMs = window.resetMs === null ? INTERVAL_MS : Math.max(0, window.resetMs - nowMs);
  let left = requests;
  let ms = 0;
  for (let room = window.remaining, intervalMs = untilResetMs; ; room = limit, intervalMs = INTERVAL_MS) {
    const atOnce = Math.max(0, room - limit * UNPACED);
    const rest = Math.max(0, Math.min(room, limit * UNPACED) - limit * LEFT_TO_OTHERS);
    const spread = rest === 0 ? 0 : rest / (1 + Math.min(1, intervalMs / rest / believedMs));
    if (left <= atOnce) return ms + left * ANSWER_MS;
    if (left <= atOnce + spread) return ms + intervalMs * ((left - atOnce) / spread);
    left -= atOnce + spread;
    ms += intervalMs;
  }
}

/** `12 s`, `33 min`, `5 h 33 min`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
