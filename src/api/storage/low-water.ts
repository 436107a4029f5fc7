const KIB = 1024;

/** Each piece costs a turn of the event loop, however small it is. Larger ones than this bring no more. */
const PIECE_BYTES = 128 * KIB;
/** Bytes that come so slowly that a piece takes longer are handed over as they come: a reader may wait for less. */
const PIECE_MS = 4;

/**
 * How many bytes of a body must come before the kernel wakes the reader. That is a piece while the connection brings one
 * in a few milliseconds. It is one byte while the connection is slow or its speed unknown, and for the end of the body,
 * which is no whole piece. A connection that becomes slow holds a part of a piece back once.
 */
export class LowWater {
  readonly #set: (bytes: number) => void;
  #bytes = 1;
  #measuredBytes = 0;
  #sinceMs: number | undefined;
  #isFast = false;

  /** @param set Called when it changes; it is 1 at first. */
  constructor(set: (bytes: number) => void) {
    this.#set = set;
  }

  /** A request is sent: what the answers before were like says nothing. */
  begin(): void {
    this.#sinceMs = undefined;
    this.#isFast = false;
    this.#change(1);
  }

  /** @param left Bytes of the body still to come. */
  afterPiece(bytes: number, { left, nowMs }: { readonly left: number; readonly nowMs: number }): void {
    this.#measure(bytes, nowMs);
    this.#change(this.#isFast && left >= 2 * PIECE_BYTES ? PIECE_BYTES : 1);
  }

  #measure(bytes: number, nowMs: number): void {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      this.#measuredBytes = 0;
      return;
    }
    this.#measuredBytes += bytes;
    if (this.#measuredBytes < PIECE_BYTES) return;
    const pieceMs = ((nowMs - this.#sinceMs) * PIECE_BYTES) / this.#measuredBytes;
    this.#isFast = pieceMs <= PIECE_MS;
    this.#sinceMs = nowMs;
    this.#measuredBytes = 0;
  }

  #change(bytes: number): void {
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#set(bytes);
  }
}
