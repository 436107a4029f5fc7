/**
 * How far ahead of a reader to fetch, as a pure function of what it read.
 *
 * The rule: never further ahead than the reader has read in this run, less the gaps it skipped. So a sequential reader
 * doubles its window with every window it consumes, and whatever a reader does next, no more than twice the bytes it
 * used were fetched for it. A reader that jumps gets just what it asks for until it has shown a second read in a row.
 */
export interface AccessPattern {
  /** Where the run has come to: the furthest byte read. */
  readonly position: number;
  /** Bytes read in this run less the bytes it skipped; 0 or more. */
  readonly earnedBytes: number;
  /** Skipped and charged for; read after all, they are given back. */
  readonly skippedBytes: number;
  readonly reads: number;
}

export const UNREAD: AccessPattern = { position: 0, earnedBytes: 0, skippedBytes: 0, reads: 0 };

/** The kernel's own read-ahead keeps two requests in flight, and they may arrive in either order. */
const SLACK_BYTES = 2 * 1024 * 1024;

const LARGEST_RANGE = 4 * 1024 * 1024;
const SMALLEST_RANGE = 128 * 1024;

export function afterRead(before: AccessPattern, offset: number, sizeBytes: number): AccessPattern {
  const distance = offset - before.position;
  if (distance > SLACK_BYTES || distance < -SLACK_BYTES) {
    return { position: offset + sizeBytes, earnedBytes: sizeBytes, skippedBytes: 0, reads: 1 };
  }
  const charged = Math.min(Math.max(0, distance), before.earnedBytes + sizeBytes);
  const givenBack = distance < 0 ? Math.min(sizeBytes, before.skippedBytes) : 0;
  return {
    position: Math.max(before.position, offset + sizeBytes),
    earnedBytes: before.earnedBytes + sizeBytes - charged + givenBack,
    skippedBytes: before.skippedBytes + charged - givenBack,
    reads: before.reads + 1,
  };
}

/** Bytes to have on their way beyond `position`. */
export function windowBytes(pattern: AccessPattern, largestBytes: number): number {
  const startedAtFront = pattern.reads === 1 && pattern.position === pattern.earnedBytes;
  if (pattern.reads < 2 && !startedAtFront) return 0;
  return Math.min(pattern.earnedBytes, largestBytes);
}

/** The size of one range of a window: a few in flight at a time, none so small that the round trip dominates. */
export function rangeBytes(window: number): number {
  let size = SMALLEST_RANGE;
  while (size < LARGEST_RANGE && size * 8 <= window) size *= 2;
  return size;
}
