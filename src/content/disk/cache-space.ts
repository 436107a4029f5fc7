/**
 * The room that the cache takes, kept within its limits.
 *
 * Several processes write to one directory and none keeps a ledger for all: each counts what it wrote since it last
 * looked, and looks again (a scan of all entries, and statfs(2)) when that is a share of the limit. So the cache may
 * be larger than its limit by that share for each process. Two that evict at once go by the same order, and what is gone
 * already counts as evicted.
 *
 * While limits cannot be kept (the disk is full of other things) nothing is written: `open` is false, and after a while
 * the next who asks has it looked at again.
 */
import { rm, statfs } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { chooseVictims, excessBytes, type SpaceLimits } from './eviction-plan.ts';
import { type StoredEntry, scanEntries } from './scan-entries.ts';

const LOOK_AGAIN_SHARE = 1 / 32;
const SMALLEST_LOOK_BYTES = 1024 * 1024;
const LARGEST_LOOK_BYTES = 256 * 1024 * 1024;
const CLOSED_FOR_MS = 10_000;

export interface CacheSpaceOptions {
  readonly directory: string;
  readonly limits: SpaceLimits;
  readonly clock: Clock;
  /** An entry was evicted here: whoever has it open lets go of it. */
  readonly onEvicted: (name: string) => void;
}

export class CacheSpace {
  readonly #options: CacheSpaceOptions;
  #entries = 0;
  #cachedBytes = 0;
  #unseenBytes = 0;
  #closedUntilMs = 0;
  #evictedBytes = 0;
  #refused = false;
  #looking: Promise<void> | undefined;

  constructor(options: CacheSpaceOptions) {
    this.#options = options;
  }

  /** When last looked, and what this process wrote since. */
  get usage(): { readonly entries: number; readonly cachedBytes: number; readonly evictedBytes: number } {
    return { entries: this.#entries, cachedBytes: this.#cachedBytes, evictedBytes: this.#evictedBytes };
  }

  get limits(): SpaceLimits {
    return this.#options.limits;
  }

  /** Whether there is room to write to. */
  get open(): boolean {
    if (this.#closedUntilMs === 0) return this.#cachedBytes < this.limits.sizeBytes + this.#lookEveryBytes();
    if (this.#options.clock.now() >= this.#closedUntilMs) this.lookSoon();
    return false;
  }

  /** So much was written, about. */
  add(bytes: number): void {
    this.#cachedBytes += bytes;
    this.#unseenBytes += bytes;
    if (this.#unseenBytes >= this.#lookEveryBytes()) this.lookSoon();
  }

  /** The disk took no more: nothing is written until there is room again. */
  diskIsFull(): void {
    this.#refused = true;
    this.#close();
    this.lookSoon();
  }

  /** As `look`, in the background: a directory that cannot be read is as good as full. */
  lookSoon(): void {
    this.look().catch(() => this.#close());
  }

  /** Measures, and evicts what is too much. One at a time. */
  async look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** What all entries may take, measured now: the limit, or what the disk has for them. */
  async measureRoom(): Promise<number> {
    await this.look();
    const { sizeBytes, minFreeBytes } = this.limits;
    const diskBytes = this.#cachedBytes + (await freeBytesOf(this.#options.directory)) - minFreeBytes;
    return Math.min(sizeBytes, Math.max(0, diskBytes));
  }

  async evict(entry: Pick<StoredEntry, 'name' | 'paths'>): Promise<void> {
    for (const path of entry.paths) await rm(path, { force: true });
    this.#options.onEvicted(entry.name);
  }

  async #lookNow(): Promise<void> {
    const { directory, clock } = this.#options;
    const refused = this.#refused;
    this.#refused = false;
    this.#unseenBytes = 0;
    const entries = await scanEntries(directory, clock.now());
    const before = { cachedBytes: sumOf(entries), freeBytes: await freeBytesOf(directory) };
    const victims = chooseVictims(entries, excessBytes(before, this.limits, refused));
    for (const victim of victims) await this.evict(victim);
    this.#entries = entries.length - victims.length;
    this.#evictedBytes += sumOf(victims);
    this.#cachedBytes = sumOf(entries) - sumOf(victims) + this.#unseenBytes;
    const after = { cachedBytes: this.#cachedBytes, freeBytes: await freeBytesOf(directory) };
    const helped = excessBytes(after, this.limits, false) === 0 && (!refused || victims.length > 0);
    if (helped) this.#closedUntilMs = 0;
    else this.#close();
  }

  #close(): void {
    this.#closedUntilMs = this.#options.clock.now() + CLOSED_FOR_MS;
  }

  #lookEveryBytes(): number {
    const share = this.limits.sizeBytes * LOOK_AGAIN_SHARE;
    return Math.min(Math.max(share, SMALLEST_LOOK_BYTES), LARGEST_LOOK_BYTES);
  }
}

function sumOf(entries: readonly StoredEntry[]): number {
  return entries.reduce((sum, { allocatedBytes }) => sum + allocatedBytes, 0);
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
