/** Of a part that is received at once; a multiple of MD5's blocks. */
const PIECE_BYTES = 512 * 1024;
/** Kept for the next part: the first touch of fresh memory costs more than a copy into it. */
const MOST_IDLE = 64;

/** Buffers of one size, used again. */
export class PieceBuffers {
  readonly #idle: Buffer[] = [];

  take(): Buffer {
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  /** The caller has no use for it any more, nor has anyone whom it gave it to. */
  giveBack(buffer: Buffer): void {
    if (this.#idle.length < MOST_IDLE) this.#idle.push(buffer);
  }
}
