/** How a file is cut into the parts of a multipart upload (undocumented-calls, 1.1), and which can go early. */

const MIB = 1024 * 1024;
const MOST_PARTS = 10_000;
const LARGEST_PART_BYTES = 5 * 1024 * MIB;

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The preferred part size, or the next whole number of MiB with which `sizeBytes` fits into 10,000 parts. */
export function partSizeFor(sizeBytes: number, preferredBytes: number): number {
  if (!outgrows(sizeBytes, preferredBytes)) return preferredBytes;
  return Math.min(LARGEST_PART_BYTES, Math.ceil(sizeBytes / MOST_PARTS / MIB) * MIB);
}

export function outgrows(sizeBytes: number, partSizeBytes: number): boolean {
  return sizeBytes > partSizeBytes * MOST_PARTS;
}

/** An empty file is one empty part. */
export function partCount(sizeBytes: number, partSizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / partSizeBytes));
}

/** The bytes of part `partNumber`, which counts from 1. */
export function partRange(partNumber: number, sizeBytes: number, partSizeBytes: number): ByteRange {
  const start = (partNumber - 1) * partSizeBytes;
  return { start, end: Math.min(start + partSizeBytes, sizeBytes) };
}

/** The numbers of the parts that hold some of a range. */
export function* partsIn(range: ByteRange, partSizeBytes: number): Generator<number> {
  for (let number = Math.floor(range.start / partSizeBytes) + 1; ; number += 1) {
    if ((number - 1) * partSizeBytes >= range.end) return;
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
  file: { readonly sizeBytes: number; readonly partSizeBytes: number },
): number[] {
  const result: number[] = [];
  for (const number of candidates) {
    const end = number * file.partSizeBytes;
    const start = end - file.partSizeBytes;
    const endsInside = lastWrite.end > start && lastWrite.end <= end;
    if (end <= file.sizeBytes && !endsInside) result.push(number);
  }
  return result;
}
