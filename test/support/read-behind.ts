import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

const PIECE_BYTES = 1024 * 1024;
/** Less than any store needs for a piece, but one that is as near as those of tests. */
const PAUSE_MS = 8;

/** Reads a file from front to back, a little more slowly than it comes, and compares it with what it should be. */
export async function readBehind(path: string, content: Buffer): Promise<void> {
  const file = await open(path);
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, at);
      const wanted = content.subarray(at, at + PIECE_BYTES);
      expect(wanted.equals(piece.subarray(0, bytesRead))).toBe(true);
      await delay(PAUSE_MS);
    }
  } finally {
    await file.close();
  }
}
