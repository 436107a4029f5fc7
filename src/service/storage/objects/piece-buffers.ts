/** Large enough that a system call more or less does not count; a multiple of MD5's blocks. */
export const PIECE_BYTES = 512 * 1024;
/** The first touch of fresh memory costs more than a copy into it. */
const MOST_IDLE = 64;

/** Buffers of `PIECE_BYTES` that bytes pass through, used again. */
class PieceBuffers {
  readonly #idle: Buffer[] = [];

  take(): Buffer {
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  /** The caller has no use for it any more, nor has anyone whom it gave it to. */
  giveBack(buffer: Buffer): void {
    if (this.#idle.length < MOST_IDLE) this.#idle.push(buffer);
  }
}

export const pieceBuffers = new PieceBuffers();
