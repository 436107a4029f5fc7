/** How a file is cut into the parts of a multipart upload (undocumented-calls, 1.1), and which can go early. */

import type { ByteRange } from '../../byte-range.ts';

const MIB = 1024 * 1024;
const MOST_PARTS = 10_000;
/** The largest buffer of Node.js 20. The platform would take 5 GiB. */
export const LARGEST_PART_BYTES = 4 * 1024 * MIB;

/** Parts that grow are twice as large after so many: 16 MiB up to 16 GiB, 1 GiB from 1 TiB on, 4.8 TiB in all. */
const PARTS_OF_A_SIZE = 1000;
/** Each part is in memory while it is sent. */
const LARGEST_GROWN_BYTES = 1024 * MIB;

/** Fixed when an upload begins, so that the range of a part follows from its number alone. */
export interface PartLayout {
  /** Of all parts but the last, or of the first ones. */
  readonly partSizeBytes: number;
  /** Parts get larger, so that a file of unknown size does not run out of them (capability `variable_part_size`). */
  readonly grows: boolean;
}

/** The preferred part size, or the next whole number of MiB with which `sizeBytes` fits into 10,000 parts. */
export function partSizeFor(sizeBytes: number, preferred: PartLayout): number {
  if (!outgrows(sizeBytes, preferred)) return preferred.partSizeBytes;
  return Math.min(LARGEST_PART_BYTES, Math.ceil(sizeBytes / MOST_PARTS / MIB) * MIB);
}

export function outgrows(sizeBytes: number, layout: PartLayout): boolean {
  return sizeBytes > endOf(MOST_PARTS, layout);
}

/** An empty file is one empty part. */
export function partCount(sizeBytes: number, layout: PartLayout): number {
  return sizeBytes === 0 ? 1 : partAt(sizeBytes - 1, layout);
}

/** The bytes of part `partNumber`, which counts from 1, in a file of `sizeBytes`. */
export function partRange(partNumber: number, sizeBytes: number, layout: PartLayout): ByteRange {
  return { start: endOf(partNumber - 1, layout), end: Math.min(endOf(partNumber, layout), sizeBytes) };
}

/** The bytes of part `partNumber` when it is not the last. */
export function fullPart(partNumber: number, layout: PartLayout): ByteRange {
  return partRange(partNumber, Number.POSITIVE_INFINITY, layout);
}

/** The numbers of the parts that hold some of a range. */
export function* partsIn(range: ByteRange, layout: PartLayout): Generator<number> {
  for (let number = partAt(range.start, layout); ; number += 1) {
    if (endOf(number - 1, layout) >= range.end) return;
    yield number;
  }
}

/**
 * The full parts among `candidates` that the writer has left: its last write ended beyond them or did not touch them.
 * One that ended exactly at the part's end has not moved on yet.
 */
export function leftBehind(
  candidates: Iterable<number>,
  lastWrite: ByteRange,
  file: PartLayout & { readonly sizeBytes: number },
): number[] {
  const result: number[] = [];
  for (const number of candidates) {
    const { start, end } = fullPart(number, file);
    const endsInside = lastWrite.end > start && lastWrite.end <= end;
    if (end <= file.sizeBytes && !endsInside) result.push(number);
  }
  return result;
}

/** Parts of one size, one after the other. */
interface Run {
  /** Parts before it. */
  readonly before: number;
  readonly start: number;
  readonly partSizeBytes: number;
}

/** Where the first `count` parts end. */
function endOf(count: number, layout: PartLayout): number {
  const { before, start, partSizeBytes } = lastRun(layout, (run) => run.before <= count);
  return start + (count - before) * partSizeBytes;
}

/** The number of the part that holds the byte at `offset`. */
function partAt(offset: number, layout: PartLayout): number {
  const { before, start, partSizeBytes } = lastRun(layout, (run) => run.start <= offset);
  return before + Math.floor((offset - start) / partSizeBytes) + 1;
}

/** The last run that `isReached`; the first always is. */
function lastRun({ partSizeBytes, grows }: PartLayout, isReached: (run: Run) => boolean): Run {
  let run: Run = { before: 0, start: 0, partSizeBytes };
  while (grows && run.partSizeBytes * 2 <= LARGEST_GROWN_BYTES) {
    const next = {
      before: run.before + PARTS_OF_A_SIZE,
      start: run.start + PARTS_OF_A_SIZE * run.partSizeBytes,
      partSizeBytes: run.partSizeBytes * 2,
    };
    if (!isReached(next)) break;
    run = next;
  }
  return run;
}
