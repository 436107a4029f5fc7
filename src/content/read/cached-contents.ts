/** Whole versions in the disk cache: filling, counting, evicting. Versions as the tree knows them. */
import PQueue from 'p-queue';
import { errorCode } from '../../lib/error-code.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import type { ByteRange } from '../byte-range.ts';
import { contentName } from '../content-version.ts';
import type { CachedVersion } from '../disk/cached-version.ts';
import { type DiskCache, isDiskFull } from '../disk/disk-cache.ts';
import type { Room } from '../disk/room.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { ContentError, type ContentVersion } from '../ports.ts';
import type { VersionSource } from './version-source.ts';

export interface CachedContentsOptions {
  readonly disk: DiskCache;
  readonly memory: MemoryPool;
  /** Runs `work` with the source of a version, whose validator is known then, and true. Undefined: it is empty now. */
  readonly withSource: <T>(
    version: ContentVersion,
    signal: AbortSignal,
    work: (source: VersionSource) => Promise<T>,
  ) => Promise<T | undefined>;
}

/** How filling gets on. */
export interface WarmProgress {
  /** So many bytes more are in the cache, by now or before. */
  readonly onBytes: (bytes: number) => void;
  /** So many of them were fetched. */
  readonly onFetched: (bytes: number) => void;
}

/** How large a version is now, and how much of it is in the cache. */
export interface CachedBytes {
  readonly sizeBytes: number;
  readonly cachedBytes: number;
}

interface Filling {
  readonly progress: WarmProgress;
  readonly signal: AbortSignal;
}

const RANGE_BYTES = 4 * 1024 * 1024;
/** Over all versions that are filled. */
const RANGES_AT_ONCE = 8;

export class CachedContents {
  readonly disk: DiskCache;
  readonly #options: CachedContentsOptions;
  readonly #ranges = new PQueue({ concurrency: RANGES_AT_ONCE });

  constructor(options: CachedContentsOptions) {
    this.#options = options;
    this.disk = options.disk;
  }

  /**
   * Fetches the missing bytes, and answers the entry then: nothing for an empty file. Bytes from before the machine was
   * started are read first, since a power failure may have damaged them. Rejects with `ContentError`, or with the error
   * of the API or the disk.
   */
  async fill(
    version: ContentVersion,
    progress: WarmProgress,
    signal: AbortSignal,
  ): Promise<CachedVersion | undefined> {
    return this.#with(version, signal, async (source, cached) => {
      if ((await this.isWhole(cached)) && (await this.disk.isOfThisRun(cached))) {
        progress.onBytes(cached.sizeBytes);
        return cached;
      }
      await this.#fillRanges(source, cached, { progress, signal });
      // Someone else may have evicted it meanwhile; when that happens twice, there is no room for it.
      if (!(await this.isWhole(cached))) {
        const again = { ...progress, onBytes: () => undefined };
        await this.#fillRanges(source, cached, { progress: again, signal });
        if (!(await this.isWhole(cached))) throw evicted(version, await this.disk.measureRoom());
      }
      await this.disk.setOfThisRun(cached);
      return cached;
    });
  }

  /** Whether all of it is there, damaged blocks included. */
  async isWhole(cached: CachedVersion): Promise<boolean> {
    return (await this.disk.countBytes(cached)) === cached.sizeBytes;
  }

  async count(version: ContentVersion, signal: AbortSignal): Promise<CachedBytes> {
    const counted = await this.#with(version, signal, async (_, cached) => ({
      sizeBytes: cached.sizeBytes,
      cachedBytes: await this.disk.countBytes(cached),
    }));
    return counted ?? { sizeBytes: 0, cachedBytes: 0 };
  }

  /** The key of a version in the cache, whether the cache has it or not. Undefined for an empty file. */
  async find(version: ContentVersion, signal: AbortSignal): Promise<CachedVersion | undefined> {
    return this.#with(version, signal, async (_, cached) => cached);
  }

  /** The object behind an alias may differ in size from the alias: asks its store. */
  async #with<T>(
    version: ContentVersion,
    signal: AbortSignal,
    work: (source: VersionSource, cached: CachedVersion) => Promise<T>,
  ): Promise<T | undefined> {
    if (version.sizeBytes === 0 && version.kind !== 'alias') return undefined;
    return this.#options.withSource(version, signal, async (source) => {
      const { cached } = source;
      if (cached !== undefined)
        return work(source, cached).catch((error: unknown) => {
          throw explained(error, version, this.disk.directory);
        });
      throw new ContentError(
        'unreadable',
        `${contentName(version)}: its store gives no ETag, so that nothing could tell whether what is cached is current`,
      );
    });
  }

  async #fillRanges(source: VersionSource, cached: CachedVersion, filling: Filling): Promise<void> {
    await forEachAtOnce(rangesOf(cached.sizeBytes), RANGES_AT_ONCE, (range) =>
      this.#ranges.add(() => this.#fillRange(source, cached, range, filling)),
    );
  }

  async #fillRange(
    source: VersionSource,
    cached: CachedVersion,
    { start: offset, end }: ByteRange,
    { progress, signal }: Filling,
  ): Promise<void> {
    signal.throwIfAborted();
    const { memory } = this.#options;
    const buffer = await memory.acquire(end - offset, signal);
    try {
      const into = buffer.subarray(0, end - offset);
      for (const missing of await this.disk.find(cached, offset, into)) {
        const bytes = into.subarray(missing.start, missing.end);
        await source.fetchRemote(offset + missing.start, bytes, { signal });
        progress.onFetched(bytes.length);
        await this.disk.write(cached, offset + missing.start, bytes);
      }
    } finally {
      memory.release(buffer);
    }
    progress.onBytes(end - offset);
  }
}

function* rangesOf(sizeBytes: number): Generator<ByteRange> {
  for (let start = 0; start < sizeBytes; start += RANGE_BYTES) {
    yield { start, end: Math.min(start + RANGE_BYTES, sizeBytes) };
  }
}

function evicted(version: ContentVersion, { remedy }: Room): ContentError {
  const reason = `evicted while it was fetched; the disk cache is too small for it: ${remedy}`;
  return new ContentError('no-space', `${contentName(version)}: ${reason}`);
}

/** The disk's error, in words that name the file and the remedy. */
function explained(error: unknown, version: ContentVersion, directory: string): unknown {
  const code = errorCode(error);
  const name = contentName(version);
  if (isDiskFull(error)) {
    const reason = `the disk of the cache is full; free space in ${directory}`;
    return new ContentError('no-space', `${name}: ${reason}`, { cause: error });
  }
  if (code === 'EFBIG') {
    const reason = `larger than a file may be in ${directory} (file system, or ulimit -f)`;
    return new ContentError('failed', `${name}: ${reason}`, { cause: error });
  }
  if (error instanceof Error && (code === 'EACCES' || code === 'EPERM')) {
    const reason = `what the disk cache has of it is another user's; remove it, or give another --cache-dir`;
    return new ContentError('failed', `${name}: ${reason} (${error.message})`, { cause: error });
  }
  return error;
}
