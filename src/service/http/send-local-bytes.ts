import type { ServerResponse } from 'node:http';
import type { ByteRange, ByteSource } from '../storage/objects/byte-source.ts';
import { pieceBuffers } from '../storage/objects/piece-buffers.ts';

/**
 * Sends bytes of local files after the head of an answer, and ends it. One piece is read while the kernel takes the one before.
 * Both lie in memory that is used again: fresh memory for each piece keeps the garbage collector at work, which then costs more
 * than all else.
 *
 * A caller that hangs up is no failure. Rejects when the bytes cannot be read; what was sent is then too short.
 */
export async function sendLocalBytes(
  response: ServerResponse,
  { readAt }: Required<Pick<ByteSource, 'readAt'>>,
  { first, last }: ByteRange,
): Promise<void> {
  const writer = new PieceWriter(response);
  for (let position = first; position <= last && !writer.isClosed; ) {
    const buffer = pieceBuffers.take();
    const length = await readAt(buffer.subarray(0, last + 1 - position), position);
    if (length === 0) throw new Error(`the content ends at byte ${position}, and byte ${last} was promised`);
    position += length;
    await writer.write(buffer, length);
  }
  await writer.settled();
  response.end();
}

/** One piece is on its way at most. Its buffer is given back when the kernel has its bytes, and never when that is not told. */
class PieceWriter {
  readonly #response: ServerResponse;
  #sent: Promise<void> = Promise.resolve();
  #hangUp: () => void = () => undefined;
  isClosed = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => {
      this.isClosed = true;
      this.#hangUp();
    });
    // The callback of `write` tells the same, and unheard an error would end the process.
    response.on('error', () => undefined);
  }

  async write(buffer: Buffer, length: number): Promise<void> {
    await this.#sent;
    if (this.isClosed) return;
    this.#sent = new Promise((resolve) => {
      this.#hangUp = resolve;
      this.#response.write(buffer.subarray(0, length), (error) => {
        if (!error) pieceBuffers.giveBack(buffer);
        resolve();
      });
    });
  }

  /** The last piece was taken, or the caller is gone. */
  settled(): Promise<void> {
    return this.#sent;
  }
}
