/** What `svcfs warmup` and `svcfs cache` ask a mount. */
import type { CachedContents } from '../../content/disk/cached-contents.ts';
import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import type { ContentVersion } from '../../content/ports.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import { WarmUp, type WarmUpProgress, type WarmUpResult } from './warm-up.ts';

export type CacheRequest =
  | { readonly request: 'warmup'; readonly paths: readonly string[] }
  | { readonly request: 'cache'; readonly paths: readonly string[] }
  /** Undefined paths: everything, of other mounts of the directory too. */
  | { readonly request: 'evict'; readonly paths: readonly string[] | undefined };

export interface CachedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly cachedBytes: number;
}

/** To `warmup`: any number of `warming`, then `warmup`. */
export type CacheAnswer =
  | { readonly answer: 'warming'; readonly progress: WarmUpProgress }
  | { readonly answer: 'warmup'; readonly result: WarmUpResult }
  | {
      readonly answer: 'cache';
      readonly statistics: DiskCacheStatistics;
      readonly files: readonly CachedFile[];
    }
  | { readonly answer: 'evict'; readonly freedBytes: number };

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
    case 'cache': {
      const files: CachedFile[] = [];
      for (const path of request.paths) {
        for await (const found of contentsAt(path, signal)) {
          const cachedBytes = await cached.countBytes(found.version, signal);
          files.push({ path: found.path, sizeBytes: found.version.sizeBytes, cachedBytes });
        }
      }
      return { answer: 'cache', statistics: await cached.disk.measure(), files };
    }
    case 'evict':
      return { answer: 'evict', freedBytes: await evict(request.paths, { contentsAt, cached }, signal) };
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

async function evict(
  paths: readonly string[] | undefined,
  { contentsAt, cached }: WithCache,
  signal: AbortSignal,
): Promise<number> {
  if (paths === undefined) return cached.disk.evictAll();
  const versions: ContentVersion[] = [];
  for (const path of paths) {
    for await (const { version } of contentsAt(path, signal)) versions.push(version);
  }
  return cached.evict(versions, signal);
}
