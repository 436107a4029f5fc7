import { WarmUp, type WarmUpResult } from '../../../../src/cli/mount/warm-up.ts';
import type { DiskCacheOptions } from '../../../../src/content/disk/disk-cache.ts';
import type { SpaceLimits } from '../../../../src/content/disk/eviction-plan.ts';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { CachedContents } from '../../../../src/content/read/cached-contents.ts';
import { createContentReader } from '../../../../src/content/read/content-reader.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { ContentsOptions, FoundContent } from '../../../../src/vfs/listing/contents-at.ts';
import { DiskWorld } from '../../content/disk/disk-world.ts';
import { FakePlatform, patterned } from '../../content/fake-platform.ts';

export const NEVER = new AbortController().signal;
const MEMORY_BYTES = 64 * 1024 * 1024;

/** Files of a platform in memory, at the paths `/0`, `/1` and so on, and a disk cache for them. */
export class CacheWorld {
  readonly cached: CachedContents;
  readonly platform = new FakePlatform();
  readonly #found: FoundContent[] = [];

  constructor(
    limits: Partial<SpaceLimits> = {},
    others: Partial<DiskCacheOptions> = {},
    disk: DiskWorld = new DiskWorld(),
  ) {
    const { cached } = createContentReader({
      api: this.platform.api,
      storage: this.platform.storage,
      memory: new MemoryPool(MEMORY_BYTES),
      disk: disk.cache(limits, systemClock, others),
      clock: systemClock,
    });
    if (cached === undefined) throw new Error('none');
    this.cached = cached;
  }

  add(...sizes: readonly number[]): void {
    for (const sizeBytes of sizes) {
      const { id } = this.platform.addFile(patterned(sizeBytes));
      this.#addVersion({ kind: 'file', fileId: id, sizeBytes });
    }
  }

  /** An alias as it was when its object had so many bytes; the object has `nowBytes`, or is gone. */
  addAlias(sizeBytes: number, nowBytes: number | undefined): void {
    const [volume, location] = ['demo/results', `object-${this.#found.length}`];
    if (nowBytes !== undefined)
      this.platform.objects.set(`${volume}/${location}`, { bytes: patterned(nowBytes), etag: 'new' });
    const storage = { kind: 'volume', volume, location } as const;
    const { id } = this.platform.addFile(Buffer.alloc(0), { storage });
    this.#addVersion({ kind: 'alias', fileId: id, volume, location, sizeBytes });
  }

  /** Of `/` all, of any other path the file there. */
  readonly contentsAt = async function* (
    this: CacheWorld,
    at: string,
    { onFailure }: ContentsOptions,
  ): AsyncGenerator<FoundContent> {
    const found = this.#found.filter(({ path }) => at === '/' || at === path);
    if (found.length === 0) onFailure(at, new Error('no such file or directory'));
    yield* found;
  }.bind(this);

  /** `onEnd` runs when all are found and all but the last few are done. */
  warmUp(onEnd: () => Promise<unknown> = async () => undefined): Promise<WarmUpResult> {
    const all = this.contentsAt;
    const contentsAt: typeof all = async function* (path, options) {
      yield* all(path, options);
      await onEnd();
    };
    return new WarmUp({ contentsAt, cached: this.cached }).run(['/'], NEVER);
  }

  /** How many are wholly in the cache. */
  async count(): Promise<number> {
    const counts = await Promise.all(this.#found.map(({ version }) => this.cached.count(version, NEVER)));
    return counts.filter(({ sizeBytes, cachedBytes }) => cachedBytes > 0 && cachedBytes === sizeBytes).length;
  }

  #addVersion(version: FoundContent['version']): void {
    this.#found.push({ path: `/${this.#found.length}`, version });
  }
}
