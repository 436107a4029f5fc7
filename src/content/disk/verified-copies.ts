/**
 * Whole files of the disk cache for readers that bypass it. Nothing checks a block then, so all of them are checked
 * before, and again when the file changed since. That takes 0.1 s for a GiB in memory: an open waits for a moment, and
 * a large file is ready for the next one.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { etagOf } from '../content-version.ts';
import type { LocalCopies, LocalCopy } from '../local-copies.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type { ContentVersion } from '../ports.ts';
import type { CacheEntry } from './cache-entry.ts';
import type { DiskCache } from './disk-cache.ts';

export interface VerifiedCopiesOptions {
  readonly disk: DiskCache;
  readonly memory: MemoryPool;
  readonly clock: Clock;
}

const PATIENCE_MS = 100;
const RANGE_BYTES = 4 * 1024 * 1024;
const MOST_REMEMBERED = 10_000;

export class VerifiedCopies implements LocalCopies {
  readonly #options: VerifiedCopiesOptions;
  /** When the blocks of an entry had last been changed, of those that were right then. */
  readonly #verified = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  readonly #checking = new Map<CacheEntry, Promise<void>>();

  constructor(options: VerifiedCopiesOptions) {
    this.#options = options;
  }

  async of(version: ContentVersion, signal: AbortSignal): Promise<LocalCopy | undefined> {
    const { disk } = this.#options;
    const cached = disk.versionOf(version, etagOf(version));
    const entry = cached && (await disk.acquire(cached));
    if (entry === undefined) return undefined;
    const release = (): void => void disk.release(entry).catch(() => undefined);
    try {
      if (await this.#isRight(entry, signal)) {
        disk.countPassedThrough();
        return { descriptor: entry.dataDescriptor, release };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  async #isRight(entry: CacheEntry, signal: AbortSignal): Promise<boolean> {
    if ((await entry.countBytes()) < entry.place.sizeBytes) return false;
    if (await this.#isVerified(entry)) return true;
    const enough = new AbortController();
    const until = AbortSignal.any([enough.signal, signal]);
    const patience = this.#options.clock.sleep(PATIENCE_MS, until).catch(() => undefined);
    await Promise.race([this.#check(entry), patience]);
    enough.abort();
    return this.#isVerified(entry);
  }

  async #isVerified(entry: CacheEntry): Promise<boolean> {
    return this.#verified.get(entry.place.name) === (await entry.changedMs());
  }

  /**
   * Once at a time, and to its end though nobody may wait for it. Never rejects: a copy that cannot be read is not
   * right.
   */
  #check(entry: CacheEntry): Promise<void> {
    const under = this.#checking.get(entry);
    if (under !== undefined) return under;
    const check = this.#checkNow(entry)
      .catch(() => undefined)
      .finally(() => this.#checking.delete(entry));
    this.#checking.set(entry, check);
    return check;
  }

  async #checkNow(entry: CacheEntry): Promise<void> {
    if (!entry.use()) return;
    try {
      await this.#readAll(entry);
    } finally {
      await entry.release();
    }
  }

  /** Each range is checked as it is read. */
  async #readAll(entry: CacheEntry): Promise<void> {
    const { memory } = this.#options;
    const buffer = await memory.acquire(RANGE_BYTES, NEVER_ABORTED);
    try {
      const { name, sizeBytes } = entry.place;
      const changedMs = await entry.changedMs();
      for (let offset = 0; offset < sizeBytes; offset += RANGE_BYTES) {
        const into = buffer.subarray(0, Math.min(RANGE_BYTES, sizeBytes - offset));
        if ((await entry.read(offset, into)).missing.length > 0) return;
      }
      this.#verified.set(name, changedMs);
    } finally {
      memory.release(buffer);
    }
  }
}
