import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import { createMd5 } from '../../../lib/md5.ts';
import type { ByteRange } from '../../byte-range.ts';

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

/** Whether a content of this size has this MD5, in hex. */
export async function hasMd5(sizeBytes: number, md5: string, content: ReadRange): Promise<boolean> {
  const digest = createMd5();
  let start = 0;
  for (; sizeBytes - start > PIECE_BYTES; start += PIECE_BYTES) {
    const taken = digest.update(await copied(content, { start, end: start + PIECE_BYTES }));
    digest.hurry();
    await taken;
  }
  const ended = digest.end(await copied(content, { start, end: sizeBytes }));
  digest.hurry();
  return (await ended) === md5;
}

/** Copies lent memory, and gives it back at once. */
async function copied(read: ReadRange, range: ByteRange): Promise<Buffer> {
  const bytes = await read(range);
  try {
    return Buffer.concat(bytes.chunks);
  } finally {
    bytes.release?.();
  }
}
