/**
 * How many ranges to fetch ahead at once: more while each step brings more bytes per second, as a pure function of what
 * was measured. A step that did not help is taken back, and tried again only after a while: the network may have changed.
 */
export interface Concurrency {
  readonly limit: number;
  /** What the limit before the last step up brought; undefined: there is nothing to compare with. */
  readonly bytesPerSecondBefore: number | undefined;
  /** Periods until the next step up is tried. */
  readonly patience: number;
}

/** Enough for most networks: a range waits one round trip for its first byte, and another range fills that time. */
export const FIRST_CONCURRENCY: Concurrency = { limit: 24, bytesPerSecondBefore: undefined, patience: 0 };

const STEP = 8;
/** As many as there are connections to one store. */
const MOST = 32;
const HELPS = 1.1;
const PATIENCE = 20;

/** After a period in which all that were allowed were in flight. */
export function afterPeriod(before: Concurrency, bytesPerSecond: number): Concurrency {
  const { limit, bytesPerSecondBefore, patience } = before;
  const helped = bytesPerSecondBefore === undefined || bytesPerSecond >= bytesPerSecondBefore * HELPS;
  if (!helped) return { limit: limit - STEP, bytesPerSecondBefore: undefined, patience: PATIENCE };
  if (patience > 0) return { ...before, patience: patience - 1 };
  if (limit + STEP > MOST) return { limit, bytesPerSecondBefore: undefined, patience: PATIENCE };
  return { limit: limit + STEP, bytesPerSecondBefore: bytesPerSecond, patience: 0 };
}
