/**
 * Folders in use are listed anew shortly before their facts expire. So the work of other clients (the outputs of a
 * running task) appears by itself, and the next `ls` waits for nothing. This goes one folder at a time, for small folders
 * only, and only while the rate budget has room for work that no program waits for.
 */
import { LRUCache } from 'lru-cache';
import type { Api } from '../../api/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import type { DirectoryNode } from '../model/node.ts';
import type { Listings } from './listings.ts';
import { SMALL_FOLDER } from './lookup-plan.ts';

/** At one request each per TTL, a fraction of what the platform allows. */
const MOST_FOLDERS = 8;
/** Facts are asked for anew when this share of the TTL has passed. */
const DUE = 0.75;
/** A user with a shorter TTL wants no cache, and asks often enough. */
const SHORTEST_TTL_MS = 5_000;
/** A folder nobody read for so many TTLs is left alone. */
const IN_USE_TTLS = 3;

interface Parts {
  readonly api: Pick<Api, 'hasRoom'>;
  readonly listings: Pick<Listings, 'ahead'>;
  readonly clock: Clock;
  readonly ttlMs: number;
}

export class BackgroundRefresh {
  readonly #parts: Parts;
  /** When each was last read. */
  readonly #inUse = new LRUCache<DirectoryNode, number>({ max: MOST_FOLDERS });
  readonly #closed = sharedAbortController();
  #running = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A program begins to read `directory`. */
  opened(directory: DirectoryNode): void {
    const isCached = directory.kind !== 'virtual-directory' && this.#parts.ttlMs >= SHORTEST_TTL_MS;
    if (!isCached || this.#closed.signal.aborted) return;
    this.#inUse.set(directory, this.#parts.clock.elapsed());
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  /** As long as any folder is in use. */
  async #run(): Promise<void> {
    const { clock, ttlMs } = this.#parts;
    this.#running = true;
    while (this.#dropUnused() && !this.#closed.signal.aborted) {
      await clock.sleep((ttlMs * DUE) / MOST_FOLDERS, this.#closed.signal).catch(() => undefined);
      await this.#refreshOne();
    }
    this.#running = false;
  }

  /** Whether any folder is in use still. */
  #dropUnused(): boolean {
    const since = this.#parts.clock.elapsed() - IN_USE_TTLS * this.#parts.ttlMs;
    for (const [directory, usedMs] of this.#inUse.entries()) {
      if (usedMs < since || directory.parent === undefined) this.#inUse.delete(directory);
    }
    return this.#inUse.size > 0;
  }

  async #refreshOne(): Promise<void> {
    const { api, clock, listings, ttlMs } = this.#parts;
    if (this.#closed.signal.aborted || !api.hasRoom('background')) return;
    const dueMs = clock.elapsed() - ttlMs * DUE;
    for (const directory of this.#inUse.keys()) {
      const { completeMs, size } = directory.children;
      const isDue = completeMs !== undefined && completeMs <= dueMs;
      if (isDue && size <= SMALL_FOLDER) return listings.ahead(directory, 'background');
    }
  }
}
