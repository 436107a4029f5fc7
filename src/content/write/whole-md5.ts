import { createMd5 } from '../../lib/md5.ts';
import type { DraftContent } from './draft-content.ts';

const PIECE_BYTES = 1024 * 1024;

/**
 * MD5 in hex of all bytes of a draft, off the event loop; undefined when some are in the unfinished upload only. It is that
 * of one content only when nothing is changed meanwhile.
 */
export async function wholeMd5(content: DraftContent, signal: AbortSignal): Promise<string | undefined> {
  const { sizeBytes } = content;
  const md5 = createMd5();
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, sizeBytes));
  for (let start = 0; ; start += PIECE_BYTES) {
    const piece = buffer.subarray(0, Math.min(PIECE_BYTES, sizeBytes - start));
    const end = start + piece.length;
    if (content.released) return undefined;
    await content.fetchMissing({ start, end }, signal);
    await content.readInto(start, piece, signal);
    const taken = end === sizeBytes ? md5.end(piece) : md5.update(piece);
    md5.hurry();
    const digest = await taken;
    if (digest !== undefined) return digest;
  }
}
