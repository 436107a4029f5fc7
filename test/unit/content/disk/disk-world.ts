import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { onTestFinished } from 'vitest';
import { DISK_BLOCK_BYTES, loadBlockIo } from '../../../../src/content/disk/block-io.ts';
import type { CachedVersion } from '../../../../src/content/disk/cached-version.ts';
import { DiskCache, type DiskCacheOptions } from '../../../../src/content/disk/disk-cache.ts';
import type { SpaceLimits } from '../../../../src/content/disk/eviction-plan.ts';
import { type Clock, elapsedBy, systemClock } from '../../../../src/lib/clock.ts';

export const BLOCK = DISK_BLOCK_BYTES;
export const ENDPOINT = 'http://service.test/v2';
const MIB = 1024 * 1024;

/** Real time, which a test can move on. */
export class MovableClock implements Clock {
  movedMs = 0;
  readonly sleep = systemClock.sleep;
  readonly elapsed = elapsedBy(this);
  now(): number {
    return Date.now() + this.movedMs;
  }
  monotonic(): number {
    return performance.now() + this.movedMs;
  }
}

/** A directory, removed with the test, and caches in it: each is as another process would have it. */
export class DiskWorld {
  readonly directory: string;
  readonly clock = new MovableClock();

  constructor() {
    const { name, removeCallback } = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
    this.directory = name;
    onTestFinished(removeCallback);
  }

  cache(
    limits: Partial<SpaceLimits> = {},
    clock: Clock = this.clock,
    others: Partial<DiskCacheOptions> = {},
  ): DiskCache {
    const blocks = loadBlockIo();
    if (blocks === undefined) throw new Error('build the addon first');
    const cache = new DiskCache({
      directory: this.directory,
      endpoint: ENDPOINT,
      limits: { sizeBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0, ...limits },
      blocks,
      clock,
      bootId: 'first',
      writeBehindBytes: 16 * MIB,
      ...others,
    });
    onTestFinished(() => cache.close());
    return cache;
  }

  /** Files of the cache whose names end so, in order. */
  async files(end = ''): Promise<readonly string[]> {
    const root = join(this.directory, 'entries');
    const names = await readdir(root, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.includes('/') && name.endsWith(end));
    return files.sort().map((name) => join(root, name));
  }

  /** The only file of the cache whose name ends so. */
  async file(end: 'data' | 'index'): Promise<string> {
    const [only, ...others] = await this.files(end);
    if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} files`);
    return only;
  }
}

/** A platform file. */
export function file(cache: DiskCache, fileId: string, sizeBytes: number): CachedVersion {
  const version = cache.versionOf({ kind: 'file', fileId, sizeBytes }, undefined);
  if (version === undefined) throw new Error('cannot be cached');
  return version;
}

/** The cached bytes of a span, with zeros for the missing ones, and which blocks are missing. */
export async function readBlocks(
  cache: DiskCache,
  version: CachedVersion,
  [start, end]: readonly [number, number] = [0, version.sizeBytes],
): Promise<{ readonly bytes: Buffer; readonly missing: readonly (readonly [number, number])[] }> {
  const bytes = Buffer.alloc(end - start);
  const ranges = await cache.read(version, start, bytes);
  for (const range of ranges) bytes.fill(0, range.start, range.end);
  return { bytes, missing: ranges.map((range) => [start + range.start, start + range.end] as const) };
}
