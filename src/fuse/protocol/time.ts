const NANOSECONDS_PER_MS = 1_000_000;

/** Whole seconds, down, and the rest in nanoseconds: the two fields of a time on the wire. */
export function splitTime(timeMs: number): { seconds: number; nanoseconds: number } {
  const seconds = Math.floor(timeMs / 1000);
  return { seconds, nanoseconds: Math.round((timeMs - seconds * 1000) * NANOSECONDS_PER_MS) };
}

/** The inverse, to the millisecond. */
export function joinTime(seconds: number, nanoseconds: number): number {
  return seconds * 1000 + Math.floor(nanoseconds / NANOSECONDS_PER_MS);
}
