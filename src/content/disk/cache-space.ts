/**
 * The room that the cache takes, kept within its limits.
 *
 * Several processes write to one directory, and none keeps a ledger for all. Each counts the bytes it wrote since its
 * last look (a scan of all entries, and statfs(2)). It looks again when that count is a share of the limit, or all that
 * the disk had free for it. So the cache may exceed its limit by that share for each process. Two processes that evict at
 * once follow the same order, and an entry that is already gone counts as evicted.
 *
 * While the limits cannot be kept (other data fills the disk) nothing is written: `open` is false. After a while the next
 * caller has the disk looked at again. Files that cannot be read or removed are not counted.
 */
import { unlink } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/error-code.ts';
import { chooseVictims, excessBytes, type SpaceLimits } from './eviction-plan.ts';
import { FreeSpace } from './free-space.ts';
import { type ObstacleReport, Obstacles, obstacle } from './obstacles.ts';
import { type Room, remedyForRoom } from './room.ts';
import { type StoredEntry, scanEntries } from './scan-entries.ts';

const LOOK_AGAIN_SHARE = 1 / 32;
const SMALLEST_LOOK_BYTES = 1024 * 1024;
const LARGEST_LOOK_BYTES = 256 * 1024 * 1024;
const CLOSED_FOR_MS = 10_000;

export interface CacheSpaceOptions {
  readonly directory: string;
  readonly limits: SpaceLimits;
  readonly clock: Clock;
  /** An entry was evicted here: a reader that has it open lets go of it. */
  readonly onEvicted: (name: string) => void;
  /** Something cannot be looked at or removed, for a reason that was not told before. */
  readonly onObstacle?: ((report: ObstacleReport) => void) | undefined;
}

interface SpaceUsage {
  readonly entries: number;
  /** Whether nothing was written here since the entries were counted. */
  readonly entriesCounted: boolean;
  readonly cachedBytes: number;
  readonly evictedBytes: number;
  /** When last looked; null: none. */
  readonly obstacles: ObstacleReport | null;
}

/** The result of an eviction. */
export interface Evicted {
  /** Of the disk. */
  readonly freedBytes: number;
  /** Directories that could not be read, and may hold more, and entries that could not be removed. */
  readonly obstacles: ObstacleReport | undefined;
}

export class CacheSpace {
  readonly #options: CacheSpaceOptions;
  readonly #free: FreeSpace;
  #entries = 0;
  #cachedBytes = 0;
  #unseenBytes = 0;
  /** The bytes that the disk had beyond those to leave free, at the last look. */
  #spareBytes = Number.POSITIVE_INFINITY;
  #closedUntilMs = 0;
  #evictedBytes = 0;
  #refused = false;
  #looked = false;
  /** The directory as a whole could not be looked at. */
  #blind = false;
  #obstacles: ObstacleReport | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: CacheSpaceOptions) {
    this.#options = options;
    this.#free = new FreeSpace(options.directory, options.clock);
  }

  /** When last looked, and what this process wrote since. */
  get usage(): SpaceUsage {
    return {
      entries: this.#entries,
      entriesCounted: this.#looked && this.#unseenBytes === 0,
      cachedBytes: this.#cachedBytes,
      evictedBytes: this.#evictedBytes,
      obstacles: this.#obstacles ?? null,
    };
  }

  get limits(): SpaceLimits {
    return this.#options.limits;
  }

  /** Whether there is room to write to. */
  get open(): boolean {
    if (this.#closedUntilMs === 0) return this.#cachedBytes < this.limits.sizeBytes + this.#lookEveryBytes();
    if (this.#options.clock.monotonic() >= this.#closedUntilMs) this.lookSoon();
    return false;
  }

  /** Whether there is no room to write to, as far as is known. */
  get full(): boolean {
    return !this.open && !this.#blind;
  }

  /** So much was written, about. */
  add(bytes: number): void {
    this.#cachedBytes += bytes;
    this.#unseenBytes += bytes;
    const spareBytes = Math.max(SMALLEST_LOOK_BYTES, this.#spareBytes);
    if (this.#unseenBytes >= Math.min(this.#lookEveryBytes(), spareBytes)) this.lookSoon();
  }

  /** The disk took no more: nothing is written until there is room again. */
  diskIsFull(): void {
    this.#refused = true;
    this.#close();
    this.lookSoon();
  }

  /** As `look`, in the background: to a directory that cannot be looked at nothing is written. */
  lookSoon(): void {
    this.look().catch((error: unknown) => {
      this.#blind = true;
      this.#tell(obstacle(error));
      this.#close();
    });
  }

  /** Measures, and evicts what is too much. One at a time. */
  async look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** The room for all entries, measured now: the limit, or the space that the disk has for them. */
  async measureRoom(): Promise<Room> {
    await this.look();
    const { sizeBytes, minFreeBytes } = this.limits;
    const diskBytes = this.#cachedBytes + (await this.#free.bytes()) - minFreeBytes;
    const bytes = Math.min(sizeBytes, Math.max(0, diskBytes));
    return { bytes, remedy: remedyForRoom(bytes === sizeBytes) };
  }

  /** Evicts those of all entries whose name is wanted. */
  async evictThose(wanted: (name: string) => boolean): Promise<Evicted> {
    const { directory, clock } = this.#options;
    const obstacles = new Obstacles();
    const entries = await scanEntries(directory, clock.now(), obstacles);
    const evicted = await this.#evict(
      entries.filter(({ name }) => wanted(name)),
      obstacles,
    );
    await this.look();
    return { freedBytes: sumOf(evicted), obstacles: obstacles.report };
  }

  async #lookNow(): Promise<void> {
    const { directory, clock } = this.#options;
    const refused = this.#refused;
    this.#refused = false;
    this.#unseenBytes = 0;
    const obstacles = new Obstacles();
    const entries = await scanEntries(directory, clock.now(), obstacles);
    const before = { cachedBytes: sumOf(entries), freeBytes: await this.#free.bytes() };
    const excess = excessBytes(before, this.limits, refused);
    const victims = await this.#evict(chooseVictims(entries, excess), obstacles);
    this.#looked = true;
    this.#blind = false;
    this.#tell(obstacles.report);
    this.#entries = entries.length - victims.length;
    this.#evictedBytes += sumOf(victims);
    this.#cachedBytes = sumOf(entries) - sumOf(victims) + this.#unseenBytes;
    // To a disk that refuses, what it does not tell of is no help.
    const freeBytes = await (refused ? this.#free.told() : this.#free.bytes());
    this.#spareBytes = freeBytes - this.limits.minFreeBytes;
    const after = { cachedBytes: this.#cachedBytes, freeBytes };
    const helped = excessBytes(after, this.limits, false) === 0 && (!refused || victims.length > 0);
    if (helped) this.#closedUntilMs = 0;
    else this.#close();
  }

  /** Answers those that are gone. */
  async #evict(entries: readonly StoredEntry[], obstacles: Obstacles): Promise<readonly StoredEntry[]> {
    const freeBytes = await this.#free.bytes();
    const evicted: StoredEntry[] = [];
    for (const entry of entries) {
      if ((await obstacles.passing(removeFiles(entry))) === undefined) continue;
      this.#options.onEvicted(entry.name);
      evicted.push(entry);
    }
    if (evicted.length > 0) await this.#free.removed(sumOf(evicted), freeBytes);
    return evicted;
  }

  #tell(report: ObstacleReport | undefined): void {
    const isNew = report !== undefined && report.reason !== this.#obstacles?.reason;
    this.#obstacles = report;
    if (isNew) this.#options.onObstacle?.(report);
  }

  #close(): void {
    this.#closedUntilMs = this.#options.clock.monotonic() + CLOSED_FOR_MS;
  }

  #lookEveryBytes(): number {
    const share = this.limits.sizeBytes * LOOK_AGAIN_SHARE;
    return Math.min(Math.max(share, SMALLEST_LOOK_BYTES), LARGEST_LOOK_BYTES);
  }
}

/** The index goes first. A file that another process removed meanwhile counts as removed. */
async function removeFiles({ paths }: StoredEntry): Promise<true> {
  for (const path of paths) {
    await unlink(path).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }
  return true;
}

function sumOf(entries: readonly StoredEntry[]): number {
  return entries.reduce((sum, { allocatedBytes }) => sum + allocatedBytes, 0);
}
