const NANOSECONDS_PER_MS = 1_000_000;

/** How long the kernel may keep something: whole seconds and the rest in nanoseconds, the two fields on the wire. */
export function splitDuration(ms: number): { seconds: number; nanoseconds: number } {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanoseconds: Math.round((ms - seconds * 1000) * NANOSECONDS_PER_MS) };
}
