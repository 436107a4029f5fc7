/**
 * Reading: versions in, byte chunks out.
 *
 * A read gathers the segments of the block cache that cover it. The reader fetches missing bytes at once, in parallel
 * ranges of a suitable size, and fetches ahead as far as the access pattern has earned. Replies are lent straight from
 * the cache. A read that is interrupted only stops waiting: other readers may wait for the range it asked for, and the
 * range stays useful.
 */
import type { StorageClient } from '../../api/storage-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DiskCache } from '../disk/disk-cache.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type { ContentReader } from '../ports.ts';
import { CachedContents } from './cached-contents.ts';
import type { ReadApi } from './content-link.ts';
import { OpenSource } from './open-source.ts';
import { RangeSlots } from './range-slots.ts';
import { windowShare } from './readahead-window.ts';
import { type CacheStatistics, SegmentCache } from './segment-cache.ts';
import { SourceRegistry } from './source-registry.ts';
import { StoreOrigins } from './store-origins.ts';

export interface ContentReaderOptions {
  readonly api: ReadApi;
  readonly storage: StorageClient;
  /** Shared with the writer. */
  readonly memory: MemoryPool;
  readonly disk?: DiskCache | undefined;
  readonly clock: Clock;
}

export interface CachingReader extends ContentReader {
  statistics(): CacheStatistics;
  /** The contents of the disk cache; undefined without one. */
  readonly cached: CachedContents | undefined;
}

export function createContentReader(options: ContentReaderOptions): CachingReader {
  const { memory, disk, clock } = options;
  const registry = new SourceRegistry({
    ...options,
    origins: new StoreOrigins(() => options.api.downloadOrigin()),
  });
  const cache = new SegmentCache(memory);
  const slots = new RangeSlots(clock);
  const shareBytes = (): number =>
    windowShare({ ranges: slots.limit, handles: slots.users }, memory.limitBytes);

  return {
    statistics: () => cache.statistics,
    cached:
      disk && new CachedContents({ disk, memory, withSource: (...given) => registry.withCurrent(...given) }),
    open: (version) => new OpenSource(version, { registry, cache, slots, shareBytes, clock }),
  };
}
