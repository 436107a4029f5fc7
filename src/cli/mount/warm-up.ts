import type { CachedContents } from '../../content/disk/cached-contents.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import type { FoundContent } from '../../vfs/contents-at.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';

/** How far a warm-up has come. What is found goes on growing while folders are listed. */
export interface WarmUpProgress {
  readonly foundFiles: number;
  readonly foundBytes: number;
  readonly doneFiles: number;
  /** In the cache, by now or before. */
  readonly doneBytes: number;
  readonly fetchedBytes: number;
}

export interface WarmUpFailure {
  /** From the top of the mount. */
  readonly path: string;
  readonly reason: string;
}

export interface WarmUpResult {
  readonly progress: WarmUpProgress;
  /** The first ones. */
  readonly failures: readonly WarmUpFailure[];
  readonly failed: number;
}

export interface WarmUpParts {
  readonly contentsAt: MountedFileSystem['contentsAt'];
  readonly cached: CachedContents;
}

const FILES_AT_ONCE = 8;
const FAILURES_TOLD = 100;

/** Brings whole files, and all files below folders, into the disk cache. One that fails does not stop the others. */
export class WarmUp {
  readonly #parts: WarmUpParts;
  readonly #failures: WarmUpFailure[] = [];
  #failed = 0;
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

  /** Rejects with the signal's reason only. */
  async run(paths: readonly string[], signal: AbortSignal): Promise<WarmUpResult> {
    await forEachAtOnce(this.#find(paths, signal), FILES_AT_ONCE, (found) => this.#fill(found, signal));
    signal.throwIfAborted();
    return { progress: this.progress, failures: this.#failures, failed: this.#failed };
  }

  async *#find(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FoundContent> {
    for (const path of paths) {
      try {
        for await (const found of this.#parts.contentsAt(path, signal)) {
          this.#foundFiles += 1;
          this.#foundBytes += found.version.sizeBytes;
          yield found;
        }
      } catch (error) {
        this.#fail(path, error);
      }
    }
  }

  async #fill({ path, version }: FoundContent, signal: AbortSignal): Promise<void> {
    try {
      this.#requireRoom();
      const progress = {
        onBytes: (bytes: number): void => {
          this.#doneBytes += bytes;
        },
        onFetched: (bytes: number): void => {
          this.#fetchedBytes += bytes;
        },
      };
      await this.#parts.cached.fill(version, progress, signal);
      this.#doneFiles += 1;
    } catch (error) {
      this.#fail(path, error);
    }
  }

  /** Files that do not fit together would only push out one another. */
  #requireRoom(): void {
    const { sizeBytes } = this.#parts.cached.disk.limits;
    if (this.#foundBytes > sizeBytes)
      throw new Error(`the disk cache may hold ${sizeBytes} bytes, the files are more; raise --cache-size`);
  }

  #fail(path: string, error: unknown): void {
    this.#failed += 1;
    if (this.#failures.length >= FAILURES_TOLD) return;
    this.#failures.push({ path, reason: error instanceof Error ? error.message : String(error) });
  }
}
