/**
 * How far ahead of a reader to fetch, as a pure function of the ranges it read.
 *
 * A *run* is a stretch read front to back; a jump ends it and begins another. A step back is a jump with two exceptions.
 * A few requests may overtake one another. The kernel may also ask again for pages that it dropped before the program
 * came to them.
 *
 * - A reader that never jumped is a stream. The bytes it has read, less the gaps it skipped, earn it a window of a
 *   multiple of them. So the window has its full size after a few round trips, long before a file of any size is read.
 * - A reader that jumps follows an index, as a BAM reader does, or follows nothing. It gets the bytes it asks for, and in
 *   the same range as much more as its runs usually are.
 * - Of the last two runs the longer one counts as usual when they are alike, as regions of an index are: many reads would
 *   need a second range for their end otherwise. When they differ the shorter one counts: one long run among
 *   short ones costs nothing then.
 * - A run that has outlived twice the usual length is taken for a stream again.
 */
export interface AccessPattern {
  /** Where the run has come to: the furthest byte read. */
  readonly position: number;
  /** Bytes read in this run less the bytes it skipped; 0 or more. */
  readonly earnedBytes: number;
  /** Skipped and charged for; read after all, they are given back. */
  readonly skippedBytes: number;
  readonly reads: number;
  /** Of the run's reads, in bytes. */
  readonly largestRead: number;
  /** Of the runs before, the last one first; two at most. */
  readonly runsBefore: readonly number[];
}

export const UNREAD: AccessPattern = {
  position: 0,
  earnedBytes: 0,
  skippedBytes: 0,
  reads: 0,
  largestRead: 0,
  runsBefore: [],
};

const KIB = 1024;
const MIB = 1024 * KIB;

/** The kernel's own read-ahead keeps two requests in flight, and they may arrive in either order. */
const SLACK_BYTES = 2 * MIB;
/** How many of the run's largest request a step back may have: the second of two that changed places may be the longer one. */
const SLACK_READS = 3;
/**
 * A program may be this far behind the kernel's requests: two of its read-aheads, of four requests each. The kernel asks
 * again for pages that it dropped before the program came to them.
 */
const UNREAD_BYTES = 4 * MIB;
const UNREAD_READS = 8;
/**
 * From where on a run is a stream. At the front the first read tells: the kernel makes it as large as this only for a
 * program that itself reads in large pieces.
 */
const FRONT_BYTES = 128 * KIB;
const STREAM_BYTES = 512 * KIB;
/**
 * The window of a stream is this multiple of the bytes it has read. So 128 KiB earn 1 MiB; half a MiB earns 96 MiB, and
 * with them the largest ranges on all connections. Smaller ranges would all end at once, while the connections' own
 * windows still grow.
 */
const AMBITION = 8;
const AMBITION_OF_STREAM = 192;

const LARGEST_RANGE = 4 * MIB;
const SMALLEST_RANGE = 128 * KIB;
/** Of all windows together: a window of 64 MiB has the largest ranges. */
const RANGES_IN_WINDOWS = 32;
/** Of one window: its reader is to find the next range there, and another on its way. */
const FEWEST_RANGES = 4;
const SPARE = 5 / 4;
/** After a jump, on the strength of runs before. */
const LARGEST_GUESS = MIB;
/** Runs that differ by no more than this are of one kind. */
const ALIKE = 3 / 2;
/** A window of one range at most is fetched with the bytes asked for: a range more costs more than the bytes. */
const COALESCED_BYTES = LARGEST_GUESS;

export function afterRead(before: AccessPattern, offset: number, sizeBytes: number): AccessPattern {
  if (isAskedAnew(before, offset, sizeBytes)) return { ...before, reads: before.reads + 1 };
  const distance = offset - before.position;
  const largestRead = Math.max(before.largestRead, sizeBytes);
  if (distance > SLACK_BYTES || -distance > Math.min(SLACK_BYTES, SLACK_READS * largestRead)) {
    const runsBefore = before.reads === 0 ? [] : [before.earnedBytes, ...before.runsBefore.slice(0, 1)];
    return {
      position: offset + sizeBytes,
      earnedBytes: sizeBytes,
      skippedBytes: 0,
      reads: 1,
      largestRead: sizeBytes,
      runsBefore,
    };
  }
  const charged = Math.min(Math.max(0, distance), before.earnedBytes + sizeBytes);
  const givenBack = distance < 0 ? Math.min(sizeBytes, before.skippedBytes) : 0;
  return {
    ...before,
    position: Math.max(before.position, offset + sizeBytes),
    earnedBytes: before.earnedBytes + sizeBytes - charged + givenBack,
    skippedBytes: before.skippedBytes + charged - givenBack,
    reads: before.reads + 1,
    largestRead,
  };
}

/** Whether the kernel may have read all of this already in this run, and dropped it; not one of requests that overtook one another. */
function isAskedAnew(
  { position, earnedBytes, largestRead }: AccessPattern,
  offset: number,
  sizeBytes: number,
): boolean {
  const behind = position - offset;
  return (
    behind > Math.min(SLACK_BYTES, SLACK_READS * largestRead) &&
    behind <= Math.min(UNREAD_BYTES, UNREAD_READS * largestRead, earnedBytes) &&
    sizeBytes <= behind
  );
}

/** Bytes to have on their way beyond `position`. */
export function windowBytes(pattern: AccessPattern, largestBytes: number): number {
  return Math.min(wantedBytes(pattern), largestBytes);
}

function wantedBytes({ position, earnedBytes, reads, runsBefore }: AccessPattern): number {
  if (runsBefore.length > 0) {
    const usual = usualRun(runsBefore);
    if (earnedBytes < usual) return usual - earnedBytes;
    if (earnedBytes < Math.max(2 * usual, STREAM_BYTES)) return 0;
    return earnedBytes;
  }
  const startedAtFront = position === earnedBytes;
  if (reads < 2 && !startedAtFront) return 0;
  if (earnedBytes >= STREAM_BYTES) return earnedBytes * AMBITION_OF_STREAM;
  return startedAtFront && earnedBytes >= FRONT_BYTES ? earnedBytes * AMBITION : earnedBytes;
}

function usualRun([last, before]: readonly number[]): number {
  if (last === undefined || before === undefined) return 0;
  const [shorter, longer] = last < before ? [last, before] : [before, last];
  return Math.min(longer <= shorter * ALIKE ? longer : shorter, LARGEST_GUESS);
}

/**
 * The size of one range of a window: as many as the handle has connections when all of them are shared evenly, none so
 * small that the round trip dominates.
 */
export function rangeBytes(window: number, handles: number): number {
  const ranges = Math.max(FEWEST_RANGES, RANGES_IN_WINDOWS / Math.max(1, handles));
  let size = SMALLEST_RANGE;
  while (size < LARGEST_RANGE && size * ranges <= window) size *= 2;
  return size;
}

/** How far beyond `position` the range of a read that must be fetched now reaches. */
export function reachBytes(window: number): number {
  return window <= COALESCED_BYTES ? window : 0;
}

/**
 * The largest window of one handle. All windows together keep the ranges in flight busy, with some to spare for bytes
 * that have come and are not read yet. They take at most a third of the memory, since otherwise they would push out one
 * another. A handle opened later finds the windows of earlier ones as large as their shares were then.
 */
export function windowShare(
  { ranges, handles }: { readonly ranges: number; readonly handles: number },
  memoryBytes: number,
): number {
  const all = Math.min(ranges * LARGEST_RANGE * SPARE, memoryBytes / 3);
  return all / Math.max(1, handles);
}
