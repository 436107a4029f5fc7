/**
 * Reading: versions in, byte chunks out.
 *
 * A read gathers the segments of the block cache that cover it. What is missing is fetched in right-sized ranges, at
 * once and in parallel; what the access pattern has earned is fetched ahead. Replies are lent straight from the cache.
 * A read that is interrupted only stops waiting: the range it asked for may have others waiting and stays useful.
 */
import type { Api, StorageClient } from '../../api/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { CachedContents } from '../disk/cached-contents.ts';
import type { DiskCache } from '../disk/disk-cache.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type { ContentReader } from '../ports.ts';
import { OpenSource } from './open-source.ts';
import { RangeSlots } from './range-slots.ts';
import { type CacheStatistics, SegmentCache } from './segment-cache.ts';
import { SourceRegistry } from './source-registry.ts';

export interface ContentReaderOptions {
  readonly api: Api;
  readonly storage: StorageClient;
  /** Shared with the writer. */
  readonly memory: MemoryPool;
  readonly disk?: DiskCache | undefined;
  readonly clock: Clock;
  /** Ranges fetched ahead at once, over all files. Default 8. */
  readonly rangesInFlight?: number;
}

const LARGEST_WINDOW_BYTES = 64 * 1024 * 1024;

export interface CachingReader extends ContentReader {
  statistics(): CacheStatistics;
  /** What is in the disk cache; undefined without one. */
  readonly cached: CachedContents | undefined;
}

export function createContentReader(options: ContentReaderOptions): CachingReader {
  const { memory, disk } = options;
  const registry = new SourceRegistry(options);
  const cache = new SegmentCache(memory);
  const slots = new RangeSlots(options.rangesInFlight ?? 8);
  let openHandles = 0;
  // Half of the memory for what is ahead of readers, so that windows cannot push out one another.
  const shareBytes = (): number =>
    Math.min(LARGEST_WINDOW_BYTES, memory.limitBytes / 2 / Math.max(1, openHandles));

  return {
    statistics: () => cache.statistics,
    cached:
      disk && new CachedContents({ disk, memory, withSource: (...given) => registry.withCurrent(...given) }),
    open: (version) => {
      openHandles += 1;
      const onClose = (): void => {
        openHandles -= 1;
      };
      return new OpenSource(version, { registry, cache, slots, shareBytes, onClose });
    },
  };
}
