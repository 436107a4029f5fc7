/**
 * How many ranges to fetch ahead at once, as a pure function of what was measured: more while each step brings more bytes
 * per second; fewer where a range takes so long that its reader waits behind what is ahead of it, as long as they bring as
 * much. A step that was wrong is taken back. After one up none is tried for a while: the network may have changed then. After
 * one down more are tried at once, since the store brings each range slowly by itself.
 */
export interface Concurrency {
  readonly limit: number;
  /** The limit and rate before the last step; undefined: the step was judged. */
  readonly before: { readonly limit: number; readonly bytesPerSecond: number } | undefined;
  /** Periods until the next step is tried. */
  readonly patience: number;
  /** The last step that was taken back was one up. */
  readonly tryFewer: boolean;
}

/** A time in which all that were allowed were in flight. */
export interface Period {
  readonly bytesPerSecond: number;
  /** From a range's request to its last byte, on average. */
  readonly rangeSeconds: number;
}

/**
 * Enough for most networks: a range waits one round trip for its first byte, and another range fills that time. All of them
 * come into memory of their own, whose first touch may cost more than receiving them, so there are no more before they help.
 */
export const FIRST_CONCURRENCY: Concurrency = { limit: 24, before: undefined, patience: 0, tryFewer: true };

const STEP = 8;
/** Fewer than there are connections to one store, so that a reader that waits for bytes finds one. */
const MOST = 48;
/** For each reader but the first. */
const MORE = 8;
/** By readers alone. */
const MOST_FOR_READERS = 40;
const FEWEST = 4;
/** A reader that comes to a range waits for it about as long, when its line is full. */
const SLOW_SECONDS = 2;
const HELPS = 1.1;
const COSTS = 0.9;
const PATIENCE = 20;

/** How many ranges so many readers may have in flight together. A line found slow has none to spare for more readers. */
export function limitFor({ limit }: Concurrency, readers: number): number {
  const isSlow = limit < FIRST_CONCURRENCY.limit;
  return isSlow ? limit : Math.max(limit, Math.min(limit + MORE * (readers - 1), MOST_FOR_READERS));
}

export function afterPeriod(concurrency: Concurrency, period: Period): Concurrency {
  const { limit, before, patience, tryFewer } = concurrency;
  if (before !== undefined && !wasRight(limit, before, period)) {
    const wasUp = limit > before.limit;
    return { limit: before.limit, before: undefined, patience: wasUp ? PATIENCE : 0, tryFewer: wasUp };
  }
  const judged = { ...concurrency, before: undefined };
  if (patience > 0) return { ...judged, patience: patience - 1 };
  const isSlow = period.rangeSeconds > SLOW_SECONDS;
  const next = isSlow && tryFewer ? Math.max(FEWEST, limit / 2) : limit + STEP;
  if (next === limit || next > MOST) return { ...judged, patience: PATIENCE };
  return { ...judged, limit: next, before: { limit, bytesPerSecond: period.bytesPerSecond } };
}

function wasRight(
  limit: number,
  before: NonNullable<Concurrency['before']>,
  { bytesPerSecond }: Period,
): boolean {
  return bytesPerSecond >= before.bytesPerSecond * (limit > before.limit ? HELPS : COSTS);
}
