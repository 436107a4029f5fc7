import type { ByteChunks } from '../../lib/byte-chunks.ts';
import type { ByteRange } from './part-plan.ts';

const PIECE_BYTES = 1024 * 1024;

export type ReadRange = (range: ByteRange) => ByteChunks | Promise<ByteChunks>;

/** Whether two contents of this size are the same. */
export async function sameBytes(sizeBytes: number, left: ReadRange, right: ReadRange): Promise<boolean> {
  for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
    const range = { start, end: Math.min(start + PIECE_BYTES, sizeBytes) };
    const ours = await copied(left, range);
    if (!ours.equals(await copied(right, range))) return false;
  }
  return true;
}

/** What was lent goes back at once. */
async function copied(read: ReadRange, range: ByteRange): Promise<Buffer> {
  const bytes = await read(range);
  try {
    return Buffer.concat(bytes.chunks);
  } finally {
    bytes.release?.();
  }
}
