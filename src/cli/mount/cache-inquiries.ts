/** The questions that `svcfs warmup` and `svcfs cache` ask a mount. */

import type { CachedVersion } from '../../content/disk/cached-version.ts';
import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import type { ObstacleReport } from '../../content/disk/obstacles.ts';
import type { CachedBytes, CachedContents } from '../../content/read/cached-contents.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import type { FoundContent } from '../../vfs/listing/contents-at.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';
import { WarmUp, type WarmUpProgress, type WarmUpResult } from './warm-up.ts';

export type CacheRequest =
  | { readonly request: 'warmup'; readonly paths: readonly string[] }
  | { readonly request: 'cache'; readonly paths: readonly string[] }
  /** Undefined paths: everything, of other mounts of the directory too. */
  | { readonly request: 'evict'; readonly paths: readonly string[] | undefined };

export interface CachedFile extends CachedBytes {
  readonly path: string;
}

/** To `warmup`: any number of `warming`, then `warmup`. */
export type CacheAnswer =
  | { readonly answer: 'warming'; readonly progress: WarmUpProgress }
  | { readonly answer: 'warmup'; readonly result: WarmUpResult }
  | ({
      readonly answer: 'cache';
      readonly statistics: DiskCacheStatistics;
      readonly files: readonly CachedFile[];
    } & FailedPaths)
  | ({ readonly answer: 'evict'; readonly freedBytes: number } & FailedPaths);

export interface CacheParts {
  readonly contentsAt: MountedFileSystem['contentsAt'];
  /** Undefined: the mount has no disk cache. */
  readonly cached: CachedContents | undefined;
  /** Why it has none, if one was asked for. */
  readonly warnings: readonly string[];
}

/** Gives intermediate answers; the signal fires when nobody waits for them any more. */
interface Conversation {
  readonly send: (answer: CacheAnswer) => void;
  readonly signal: AbortSignal;
}

const TELL_EVERY_MS = 500;

export async function answerCacheRequest(
  request: CacheRequest,
  { contentsAt, cached, warnings }: CacheParts,
  { send, signal }: Conversation,
): Promise<CacheAnswer> {
  if (cached === undefined)
    throw new Error(warnings[0] ?? 'this mount has no disk cache; mount with --cache-dir');
  switch (request.request) {
    case 'warmup':
      return {
        answer: 'warmup',
        result: await warmUp(request.paths, { contentsAt, cached }, { send, signal }),
      };
    case 'cache':
      return count(request.paths, { contentsAt, cached }, signal);
    case 'evict':
      return evict(request.paths, { contentsAt, cached }, signal);
  }
}

type WithCache = Pick<CacheParts, 'contentsAt'> & { readonly cached: CachedContents };

async function warmUp(
  paths: readonly string[],
  parts: WithCache,
  { send, signal }: Conversation,
): Promise<WarmUpResult> {
  const work = new WarmUp(parts);
  const timer = setInterval(() => send({ answer: 'warming', progress: work.progress }), TELL_EVERY_MS);
  try {
    return await work.run(paths, signal);
  } finally {
    clearInterval(timer);
  }
}

async function count(
  paths: readonly string[],
  { contentsAt, cached }: WithCache,
  signal: AbortSignal,
): Promise<CacheAnswer> {
  const files: CachedFile[] = [];
  const { failures, failed } = await forEachContent(paths, contentsAt, signal, async ({ path, version }) => {
    files.push({ path, ...(await cached.count(version, signal)) });
  });
  return { answer: 'cache', statistics: await cached.disk.measure(), files, failures, failed };
}

async function evict(
  paths: readonly string[] | undefined,
  { contentsAt, cached }: WithCache,
  signal: AbortSignal,
): Promise<CacheAnswer> {
  const versions: CachedVersion[] = [];
  const failures = await forEachContent(paths ?? [], contentsAt, signal, async ({ version }) => {
    const found = await cached.find(version, signal);
    if (found !== undefined) versions.push(found);
  });
  const { disk } = cached;
  const { freedBytes, obstacles } = await (paths === undefined ? disk.evictAll() : disk.evict(versions));
  if (obstacles !== undefined) failures.add(disk.directory, new Error(describeObstacles(obstacles)));
  return { answer: 'evict', freedBytes, failures: failures.failures, failed: failures.failed };
}

/** The files at the paths and below, one after the other. One that fails does not stop the others. */
async function forEachContent(
  paths: readonly string[],
  contentsAt: CacheParts['contentsAt'],
  signal: AbortSignal,
  work: (found: FoundContent) => Promise<void>,
): Promise<PathFailures> {
  const failures = new PathFailures();
  const onFailure = (path: string, error: unknown): void => failures.add(path, error);
  for (const path of paths) {
    for await (const found of contentsAt(path, { signal, onFailure }))
      await work(found).catch((error: unknown) => failures.add(found.path, error));
  }
  signal.throwIfAborted();
  return failures;
}

/** Describes the files of a cache that cannot be looked at or evicted. */
export function describeObstacles({ count, reason }: ObstacleReport): string {
  const places = count === 1 ? '1 file or folder' : `${count} files or folders`;
  return `${places} cannot be examined or evicted: ${reason}`;
}
