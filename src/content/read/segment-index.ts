import type { Segment } from './segment.ts';

/** The grid that segments are aligned to. */
export const BLOCK_BYTES = 16 * 1024;

/** Which segment holds (or will hold) each block of one source. */
export class SegmentIndex {
  readonly #blocks = new Map<number, Segment>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get empty(): boolean {
    return this.#blocks.size === 0;
  }

  at(offset: number): Segment | undefined {
    return this.#blocks.get(Math.floor(offset / BLOCK_BYTES));
  }

  /** Where the gap that begins at block-aligned `offset` ends: at the next segment or at `limit`. */
  gapEnd(offset: number, limit: number): number {
    let end = offset + BLOCK_BYTES;
    while (end < limit && this.at(end) === undefined) end += BLOCK_BYTES;
    return Math.min(end, limit);
  }

  add(segment: Segment): void {
    for (let offset = segment.offset; offset < segment.end; offset += BLOCK_BYTES) {
      this.#blocks.set(offset / BLOCK_BYTES, segment);
    }
  }

  remove(segment: Segment): void {
    for (let offset = segment.offset; offset < segment.end; offset += BLOCK_BYTES) {
      this.#blocks.delete(offset / BLOCK_BYTES);
    }
    if (this.#blocks.size === 0) this.#onEmpty();
  }
}
