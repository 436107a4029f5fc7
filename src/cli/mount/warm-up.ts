import type { CachedVersion } from '../../content/disk/cached-version.ts';
import type { CachedContents } from '../../content/read/cached-contents.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import type { FoundContent } from '../../vfs/listing/contents-at.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';
import { WarmUpRoom } from './warm-up-room.ts';

/** How far a warm-up has come. The count of found files grows while folders are listed. */
export interface WarmUpProgress {
  readonly foundFiles: number;
  readonly foundBytes: number;
  readonly doneFiles: number;
  /** In the cache, by now or before, but for files that failed. */
  readonly doneBytes: number;
  readonly fetchedBytes: number;
}

export interface WarmUpResult extends FailedPaths {
  readonly progress: WarmUpProgress;
}

export interface WarmUpParts {
  readonly contentsAt: MountedFileSystem['contentsAt'];
  readonly cached: CachedContents;
}

interface WarmedFile {
  readonly path: string;
  readonly cached: CachedVersion;
}

const FILES_AT_ONCE = 8;

/** Brings whole files, and all files below folders, into the disk cache. One that fails does not stop the others. */
export class WarmUp {
  readonly #parts: WarmUpParts;
  readonly #failures = new PathFailures();
  readonly #warmed: WarmedFile[] = [];
  #foundFiles = 0;
  #foundBytes = 0;
  #doneFiles = 0;
  #doneBytes = 0;
  #fetchedBytes = 0;

  constructor(parts: WarmUpParts) {
    this.#parts = parts;
  }

  get progress(): WarmUpProgress {
    return {
      foundFiles: this.#foundFiles,
      foundBytes: this.#foundBytes,
      doneFiles: this.#doneFiles,
      doneBytes: this.#doneBytes,
      fetchedBytes: this.#fetchedBytes,
    };
  }

  /** Rejects with the signal's reason, or when the room in the cache cannot be measured. */
  async run(paths: readonly string[], signal: AbortSignal): Promise<WarmUpResult> {
    const room = await WarmUpRoom.measure(this.#parts.cached.disk);
    await forEachAtOnce(this.#find(paths, signal), FILES_AT_ONCE, (found) => this.#fill(found, room, signal));
    signal.throwIfAborted();
    await this.#checkAgain();
    const { failures, failed } = this.#failures;
    return { progress: this.progress, failures, failed };
  }

  async *#find(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FoundContent> {
    const onFailure = (path: string, error: unknown): void => this.#failures.add(path, error);
    for (const path of paths) {
      for await (const found of this.#parts.contentsAt(path, { signal, onFailure })) {
        this.#foundFiles += 1;
        this.#foundBytes += found.version.sizeBytes;
        yield found;
      }
    }
  }

  async #fill({ path, version }: FoundContent, room: WarmUpRoom, signal: AbortSignal): Promise<void> {
    let ownBytes = 0;
    const progress = {
      onBytes: (bytes: number): void => {
        ownBytes += bytes;
        this.#doneBytes += bytes;
      },
      onFetched: (bytes: number): void => {
        this.#fetchedBytes += bytes;
      },
    };
    try {
      room.take(version);
      const cached = await this.#parts.cached.fill(version, progress, signal).catch((error: unknown) => {
        room.giveBack(version, ownBytes);
        throw error;
      });
      if (cached !== undefined) this.#warmed.push({ path, cached });
      // The store tells the size of the object behind an alias.
      this.#foundBytes += (cached?.sizeBytes ?? 0) - version.sizeBytes;
      this.#doneFiles += 1;
    } catch (error) {
      this.#doneBytes -= ownBytes;
      this.#failures.add(path, error);
    }
  }

  /** Others use the cache and its disk too: what was there may have made room meanwhile. */
  async #checkAgain(): Promise<void> {
    const { cached: contents } = this.#parts;
    const { remedy } = await contents.disk.measureRoom();
    const { cachedBytes } = contents.disk.statistics;
    const evicted = new Error(
      `evicted again: the disk cache holds ${describeSize(cachedBytes)}; ${remedy}, or warm up less at once`,
    );
    await forEachAtOnce(this.#warmed, FILES_AT_ONCE, async ({ path, cached }) => {
      if (await contents.isWhole(cached).catch(() => false)) return;
      this.#doneFiles -= 1;
      this.#doneBytes -= cached.sizeBytes;
      this.#failures.add(path, evicted);
    });
  }
}
