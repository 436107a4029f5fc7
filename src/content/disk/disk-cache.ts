/**
 * Blocks of versions on a disk of this machine. Every process that was given the directory reads a fetched block from
 * there, in this mount and the next.
 *
 * An entry is two files (`entry-name.ts`): the version's bytes at their places in a sparse file, and an index with a
 * checksum for each block, 0 when it is not there. Invariants:
 *
 * - An entry's name tells its bytes wholly (`cached-version.ts`), so there is nothing to revalidate.
 * - A block is given out only if it matches its checksum. A crash, another process or a bad disk may damage the files:
 *   that costs a fetch, never a wrong byte. So nothing here is ever synced.
 * - No process locks. All writers write the words of an index whole, after their blocks. The first link(2) of a name wins
 *   it. Eviction removes the name, and a process that has the entry open goes on with it (`entry-files.ts`).
 * - No file or hash work happens on the event loop, and no reader waits for a write.
 * - A failure of the disk is no error of a reader: the cache counts it and answers that nothing is there.
 */
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { ByteRange } from '../byte-range.ts';
import type { ContentVersion } from '../ports.ts';
import { type BlockIo, DISK_BLOCK_BYTES } from './block-io.ts';
import type { CacheEntry } from './cache-entry.ts';
import { CacheSpace, type Evicted } from './cache-space.ts';
import { type CachedVersion, cachedVersion } from './cached-version.ts';
import type { EntryPlace } from './entry-files.ts';
import type { SpaceLimits } from './eviction-plan.ts';
import type { ObstacleReport } from './obstacles.ts';
import { OpenEntries } from './open-entries.ts';
import type { Room } from './room.ts';
import { WriteBehind } from './write-behind.ts';

export interface DiskCacheOptions {
  readonly directory: string;
  /** Of the API: file ids of two services may be the same. */
  readonly endpoint: string;
  readonly limits: SpaceLimits;
  readonly blocks: BlockIo;
  readonly clock: Clock;
  /** Of the machine's run since it was started: what it has written was not yet in a power failure. */
  readonly bootId: string;
  /** How much of memory may wait to be written. */
  readonly writeBehindBytes: number;
  /** Something in the directory cannot be looked at or removed, for a reason that was not told before. */
  readonly onObstacle?: ((report: ObstacleReport) => void) | undefined;
}

/** Since the mount began, but for what is cached. */
export interface DiskCacheStatistics {
  readonly directory: string;
  /** Null: as much as the disk has. */
  readonly limitBytes: number | null;
  readonly minFreeBytes: number;
  readonly cachedBytes: number;
  /** When last counted. */
  readonly entries: number;
  /** Whether nothing was written since. */
  readonly entriesCounted: boolean;
  /** Bytes asked for that were there, and that were not. */
  readonly hitBytes: number;
  readonly missedBytes: number;
  readonly writtenBytes: number;
  /** Not written, because the disk could not keep up or was full. */
  readonly droppedBytes: number;
  readonly evictedBytes: number;
  readonly damagedBlocks: number;
  /** Failures of the disk; each was as good as a miss. */
  readonly failures: number;
  /** When the last of them was, in milliseconds since the epoch; null: none. */
  readonly lastFailureMs: number | null;
  readonly full: boolean;
  /** Files that cannot be looked at or evicted, and do not count as cached; null: none. */
  readonly obstacles: ObstacleReport | null;
  /** Whole files given to the kernel, which reads them itself and is not counted as a hit. */
  readonly passedThrough: number;
}

const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

export class DiskCache {
  readonly #options: DiskCacheOptions;
  readonly #entries: OpenEntries;
  readonly #space: CacheSpace;
  readonly #writes: WriteBehind;
  #hitBytes = 0;
  #missedBytes = 0;
  #writtenBytes = 0;
  #refusedBytes = 0;
  #damagedBlocks = 0;
  #failures = 0;
  #lastFailureMs: number | null = null;
  #passedThrough = 0;

  constructor(options: DiskCacheOptions) {
    this.#options = options;
    this.#entries = new OpenEntries(options);
    this.#space = new CacheSpace({ ...options, onEvicted: (name) => this.#entries.drop(name) });
    this.#writes = new WriteBehind(options.writeBehindBytes);
  }

  get directory(): string {
    return this.#options.directory;
  }

  get statistics(): DiskCacheStatistics {
    const { directory, limits } = this.#options;
    return {
      directory,
      limitBytes: Number.isFinite(limits.sizeBytes) ? limits.sizeBytes : null,
      minFreeBytes: limits.minFreeBytes,
      ...this.#space.usage,
      hitBytes: this.#hitBytes,
      missedBytes: this.#missedBytes,
      writtenBytes: this.#writtenBytes,
      droppedBytes: this.#refusedBytes + this.#writes.droppedBytes,
      damagedBlocks: this.#damagedBlocks,
      failures: this.#failures,
      lastFailureMs: this.#lastFailureMs,
      full: this.#space.full,
      passedThrough: this.#passedThrough,
    };
  }

  /** Undefined: it cannot be cached, or not yet. */
  versionOf(version: ContentVersion, etag: string | undefined): CachedVersion | undefined {
    return cachedVersion(this.#options.endpoint, version, etag);
  }

  /** Fills `into` with what is there, and answers what is missing, relative to `offset`. */
  async read(version: CachedVersion, offset: number, into: Uint8Array): Promise<readonly ByteRange[]> {
    const missing = await this.find(version, offset, into);
    const missedBytes = missing.reduce((sum, { start, end }) => sum + end - start, 0);
    this.#missedBytes += missedBytes;
    this.#hitBytes += into.length - missedBytes;
    return missing;
  }

  /** As `read`, for a caller that does not count as a reader. */
  async find(version: CachedVersion, offset: number, into: Uint8Array): Promise<readonly ByteRange[]> {
    const nothing = [{ start: 0, end: into.length }];
    if (!isWhole(offset, into.length, version.sizeBytes)) return nothing;
    try {
      const place = this.#placeOf(version);
      const read = await this.#entries.using(place, 'if-there', (entry) => entry.read(offset, into));
      this.#damagedBlocks += read?.damagedBlocks ?? 0;
      return read?.missing ?? nothing;
    } catch {
      this.#failed();
      return nothing;
    }
  }

  /**
   * Writes bytes soon. They must stay as they are until the promise settles, which never rejects; undefined: they are not
   * written.
   */
  keep(version: CachedVersion, offset: number, bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#space.open) {
      this.#refusedBytes += bytes.length;
      return undefined;
    }
    return this.#writes.take(bytes.length, () => this.write(version, offset, bytes));
  }

  /** As `keep`, but waits, and rejects with the system error. */
  async write(version: CachedVersion, offset: number, bytes: Uint8Array): Promise<void> {
    const whole = wholeBlocks(offset, bytes, version.sizeBytes);
    if (whole.bytes.length === 0) return;
    try {
      await this.#entries.using(this.#placeOf(version), 'make', (entry) =>
        entry.write(whole.offset, whole.bytes),
      );
    } catch (error) {
      this.#refused(error, whole.bytes.length);
      throw error;
    }
    this.#writtenBytes += whole.bytes.length;
    this.#space.add(whole.bytes.length);
  }

  /** How much of a version is there, damaged blocks included. */
  async countBytes(version: CachedVersion): Promise<number> {
    const count = (entry: CacheEntry): Promise<number> => entry.countBytes();
    return (await this.#entries.using(this.#placeOf(version), 'if-there', count)) ?? 0;
  }

  /** Whether what is there of a version was written, or said to be right, since the machine was started. */
  async isOfThisRun(version: CachedVersion): Promise<boolean> {
    const { bootId } = this.#options;
    const ask = (entry: CacheEntry): Promise<boolean> => entry.isOfRun(bootId);
    return (await this.#entries.using(this.#placeOf(version), 'if-there', ask)) ?? false;
  }

  /** Notes that the blocks of the version were read since the machine was started, and are right. */
  async setOfThisRun(version: CachedVersion): Promise<void> {
    const { bootId } = this.#options;
    try {
      await this.#entries.using(this.#placeOf(version), 'if-there', (entry) => entry.setRun(bootId));
    } catch {
      // It is read once more, should somebody ask again.
      this.#failed();
    }
  }

  /** The entry itself, in use until it is released. */
  acquire(version: CachedVersion): Promise<CacheEntry | undefined> {
    return this.#entries.acquire(this.#placeOf(version), 'if-there');
  }

  release(entry: CacheEntry): Promise<void> {
    return this.#entries.release(entry);
  }

  /** An entry was given away to be read past the cache. */
  countPassedThrough(): void {
    this.#passedThrough += 1;
  }

  async evict(versions: readonly CachedVersion[]): Promise<Evicted> {
    const names = new Set(versions.map(({ name }) => name));
    return this.#space.evictThose((name) => names.has(name));
  }

  async evictAll(): Promise<Evicted> {
    return this.#space.evictThose(() => true);
  }

  /** The statistics, with what is there measured now. */
  async measure(): Promise<DiskCacheStatistics> {
    await this.#space.look();
    return this.statistics;
  }

  /** How much all entries together may take of the disk, as things are now. */
  measureRoom(): Promise<Room> {
    return this.#space.measureRoom();
  }

  /** Measures what is there, soon. */
  start(): void {
    this.#space.lookSoon();
  }

  /** Resolves when all that waits is written and nothing is open any more. */
  async close(): Promise<void> {
    await this.#writes.idle();
    this.#entries.close();
  }

  #failed(): void {
    this.#failures += 1;
    this.#lastFailureMs = this.#options.clock.now();
  }

  #refused(error: unknown, bytes: number): void {
    if (!isDiskFull(error)) {
      this.#failed();
      return;
    }
    this.#refusedBytes += bytes;
    this.#space.diskIsFull();
  }

  #placeOf({ name, sizeBytes }: CachedVersion): EntryPlace {
    return { directory: this.#options.directory, name, sizeBytes };
  }
}

/** Whether a write failed because the disk takes no more. */
export function isDiskFull(error: unknown): boolean {
  return FULL.has(errorCode(error));
}

/** Whether a span consists of whole blocks; the last of a version may be short. */
function isWhole(offset: number, lengthBytes: number, sizeBytes: number): boolean {
  const end = offset + lengthBytes;
  return offset % DISK_BLOCK_BYTES === 0 && (end % DISK_BLOCK_BYTES === 0 || end === sizeBytes);
}

/** The part of a span that is whole blocks. */
function wholeBlocks(
  offset: number,
  bytes: Uint8Array,
  sizeBytes: number,
): { readonly offset: number; readonly bytes: Uint8Array } {
  const start = Math.ceil(offset / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES;
  const limit = offset + bytes.length;
  const end = limit === sizeBytes ? limit : Math.floor(limit / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES;
  return { offset: start, bytes: bytes.subarray(start - offset, Math.max(start, end) - offset) };
}
