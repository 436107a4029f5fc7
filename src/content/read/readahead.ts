/** Fetches ahead of one handle, as far as its access pattern has earned. */

import type { RangeSlots } from './range-slots.ts';
import {
  type AccessPattern,
  afterRead,
  rangeBytes,
  reachBytes,
  UNREAD,
  windowBytes,
} from './readahead-window.ts';
import type { Segment } from './segment.ts';
import type { SegmentCache } from './segment-cache.ts';
import { BLOCK_BYTES } from './segment-index.ts';
import type { VersionSource } from './version-source.ts';

/** A smaller range is for a reader that is hardly a stream, and waits for it. */
const SMALLEST_WAITING_BYTES = 1024 * 1024;
/** So much ahead of where a run ended may still come: an index or a header is often read with a step back. */
const KEPT_BYTES = 1024 * 1024;

export interface ReadaheadOptions {
  readonly cache: SegmentCache;
  readonly slots: RangeSlots;
  /** The largest window this handle may have now: its share of the memory. */
  readonly shareBytes: () => number;
}

export class Readahead {
  readonly #options: ReadaheadOptions;
  readonly #source: VersionSource;
  readonly #ahead = new Set<Segment>();
  readonly #pump = (): void => this.fill();
  #pattern: AccessPattern = UNREAD;
  #fetchedTo = 0;
  #splices = false;
  #closed = false;

  constructor(source: VersionSource, options: ReadaheadOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * The handle reads this range, and fetches missing bytes of it by itself, with the same ranges as far as the answer
   * says. The caller calls `fill` then. The flag `splices` says that the reader takes bytes off sockets.
   */
  onRead(offset: number, end: number, splices: boolean): number {
    this.#splices = splices;
    const before = this.#pattern;
    this.#pattern = afterRead(before, offset, end - offset);
    const jumped = this.#pattern.reads <= before.reads;
    if (jumped) this.#endRun(before.position + KEPT_BYTES, offset);
    const { position } = this.#pattern;
    // The bytes between a read that steps back and the front were skipped, and are not wanted now.
    return end < position ? end : position + reachBytes(this.#window);
  }

  close(): void {
    this.#closed = true;
    this.#options.slots.withdraw(this.#pump);
    for (const segment of this.#ahead) this.#options.cache.abandon(segment);
  }

  /** Sends what the window has room for. */
  fill(): void {
    if (this.#closed) return;
    const { slots } = this.#options;
    const { position } = this.#pattern;
    const size = this.#source.version.sizeBytes;
    // Blocks may reach beyond the end, to which no reader comes.
    slots.isAhead(this.#pump, Math.min(this.#fetchedTo, size) > position);
    const window = this.#window;
    const range = rangeBytes(window, slots.users);
    const horizon = Math.min(position + window, size);
    let next = Math.max(this.#fetchedTo, Math.ceil(position / BLOCK_BYTES) * BLOCK_BYTES);
    // Ranges are fetched whole or not at all: a window that slides by one read must not send a range per read.
    while (next < horizon && (horizon - next >= range || horizon === size)) {
      const present = this.#source.index.at(next);
      if (present === undefined) {
        const end = this.#source.index.gapEnd(next, Math.min(next + range, size));
        if (!this.#fetch(next, end)) return;
        next = Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES;
      } else {
        next = Math.ceil(present.end / BLOCK_BYTES) * BLOCK_BYTES;
      }
      this.#fetchedTo = next;
    }
  }

  /**
   * Abandons the segments from `keptTo` on: no reader wants them, and they must not share the line with the read at
   * `offset`.
   */
  #endRun(keptTo: number, offset: number): void {
    this.#fetchedTo = 0;
    for (const segment of this.#ahead) {
      const isRead = segment.offset <= offset && offset < segment.end;
      if (segment.offset >= keptTo && !isRead) this.#options.cache.abandon(segment);
    }
  }

  get #window(): number {
    return windowBytes(this.#pattern, this.#options.shareBytes());
  }

  #fetch(offset: number, end: number): boolean {
    const { slots } = this.#options;
    if (!slots.take(this.#pump)) return false;
    const segment = this.#loadInSlot(offset, end);
    if (segment === undefined) return false;
    this.#ahead.add(segment);
    const done = (): void => {
      this.#ahead.delete(segment);
      slots.release(this.#pump, segment.isFilled ? segment.sizeBytes : 0);
      this.#pump();
    };
    void segment.settled.then(done);
    return true;
  }

  /** Gives the slot back when nothing is fetched. */
  #loadInSlot(offset: number, end: number): Segment | undefined {
    const { cache, slots } = this.#options;
    const { fetch, index } = this.#source;
    const mayWait = this.#splices && end - offset >= SMALLEST_WAITING_BYTES;
    let segment: Segment | undefined;
    try {
      segment = cache.tryLoad({ index, offset, end, fetch, mayWait });
    } finally {
      if (segment === undefined) slots.release(this.#pump, 0);
    }
    return segment;
  }
}
