import type { FileHandle } from 'node:fs/promises';

/** Node.js ends the process that asks for 2 GiB or more at once. */
const MOST_AT_ONCE_BYTES = 1024 ** 3;

/** Fills `into` from `offset` on; answers how much of it, which is less than all where the file ends before. */
export async function readAll(
  file: Pick<FileHandle, 'read'>,
  into: Uint8Array,
  offset: number,
): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const wanted = Math.min(into.length - filled, MOST_AT_ONCE_BYTES);
    const { bytesRead } = await file.read(into, filled, wanted, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
