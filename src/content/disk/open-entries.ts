import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import type { BlockIo } from './block-io.ts';
import { CacheEntry } from './cache-entry.ts';
import { type EntryPlace, openEntry, openOrMakeEntry } from './entry-files.ts';

/** Entries kept open for their next use: two descriptors each. */
const MOST_OPEN = 128;
/** An entry that was evicted elsewhere takes room on the disk while it is open here. */
const OPEN_FOR_MS = 30_000;
/** The order of use is kept to the minute. */
const TOUCH_EVERY_MS = 60_000;

export interface OpenEntriesOptions {
  readonly blocks: BlockIo;
  readonly clock: Clock;
  /** Of the machine's run. */
  readonly bootId: string;
}

interface Opened {
  readonly entry: CacheEntry;
  touchedMs: number;
}

/** The entries this process has open. One that was evicted, by this process or another, is not found here any more. */
export class OpenEntries {
  readonly #blocks: BlockIo;
  readonly #clock: Clock;
  readonly #bootId: string;
  readonly #opening = new Map<string, Promise<Opened | undefined>>();
  readonly #opened: LRUCache<string, Opened>;
  readonly #closed = sharedAbortController();

  constructor({ blocks, clock, bootId }: OpenEntriesOptions) {
    this.#blocks = blocks;
    this.#clock = clock;
    this.#bootId = bootId;
    this.#opened = new LRUCache({
      max: MOST_OPEN,
      ttl: OPEN_FOR_MS,
      updateAgeOnGet: true,
      perf: { now: () => clock.elapsed() },
      dispose: ({ entry }) => void entry.retire().catch(() => undefined),
    });
    void this.#purgeNowAndThen();
  }

  /** Runs `work` with an entry; undefined when there is none and none is to be made. */
  async using<T>(
    place: EntryPlace,
    how: 'if-there' | 'make',
    work: (entry: CacheEntry) => Promise<T>,
  ): Promise<T | undefined> {
    const entry = await this.acquire(place, how);
    if (entry === undefined) return undefined;
    try {
      return await work(entry);
    } finally {
      await this.release(entry);
    }
  }

  /** For `release`. */
  async acquire(place: EntryPlace, how: 'if-there' | 'make'): Promise<CacheEntry | undefined> {
    while (true) {
      const opened = this.#opened.get(place.name) ?? (await this.#open(place, how));
      if (opened === undefined) return undefined;
      // False: closed by the time it was handed to us.
      if (!opened.entry.use()) continue;
      this.#touch(opened);
      return opened.entry;
    }
  }

  async release(entry: CacheEntry): Promise<void> {
    if (entry.evicted && this.#opened.peek(entry.place.name)?.entry === entry) this.drop(entry.place.name);
    await entry.release();
  }

  /** Closes it as soon as nobody uses it. */
  drop(name: string): void {
    this.#opened.delete(name);
  }

  close(): void {
    this.#closed.abort();
    this.#opened.clear();
  }

  async #purgeNowAndThen(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#clock.sleep(OPEN_FOR_MS, signal).catch(() => undefined);
      this.#opened.purgeStale();
    }
  }

  /** One opens, all who ask meanwhile get the same. */
  async #open(place: EntryPlace, how: 'if-there' | 'make'): Promise<Opened | undefined> {
    const { name } = place;
    for (let under = this.#opening.get(name); under !== undefined; under = this.#opening.get(name)) {
      const opened = await under;
      if (opened !== undefined || how === 'if-there') return opened;
    }
    const opening = this.#begin(place, how).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  async #begin(place: EntryPlace, how: 'if-there' | 'make'): Promise<Opened | undefined> {
    const files = await (how === 'make' ? openOrMakeEntry(place, this.#bootId) : openEntry(place));
    if (files === undefined) return undefined;
    const opened = { entry: new CacheEntry(place, files, this.#blocks), touchedMs: 0 };
    this.#opened.set(place.name, opened);
    return opened;
  }

  #touch(opened: Opened): void {
    const nowMs = this.#clock.now();
    if (Math.abs(nowMs - opened.touchedMs) < TOUCH_EVERY_MS) return;
    opened.touchedMs = nowMs;
    // Only the order of eviction suffers.
    void opened.entry.touch(nowMs).catch(() => undefined);
  }
}
