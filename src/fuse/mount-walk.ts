import { readlink } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isSvcfs, type MountedFileSystem, type MountTable } from './mount-table.ts';

/** Where a path leads, up to the first mount of svcfs on the way. */
export interface WalkedPath {
  /** Without symbolic links. */
  readonly path: string;
  /** The file system on `path` that ended the walk. */
  readonly mount: MountedFileSystem | undefined;
  /** The rest of the path, below `mount`. */
  readonly rest: readonly string[];
}

/** Of links that lead to links: as many as Linux follows (path_resolution(7)). */
const MOST_LINKS = 40;

/**
 * Follows a path over symbolic links; there need be nothing at its end. No mount of svcfs is looked into: it may be dead, and
 * may never answer. Undefined for a circle of links.
 */
export async function walkToMount(path: string, mountedOn: MountTable): Promise<WalkedPath | undefined> {
  const steps = stepsOf(resolve(path));
  let at = '/';
  let links = 0;
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const next = join(at, step);
    const mounted = mountedOn(next);
    if (mounted !== undefined && isSvcfs(mounted)) return { path: next, mount: mounted, rest: steps };
    const target = mounted === undefined ? await readlink(next).catch(() => undefined) : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return undefined;
    if (isAbsolute(target)) at = '/';
    steps.unshift(...stepsOf(target));
  }
  return { path: at, mount: undefined, rest: [] };
}

function stepsOf(path: string): string[] {
  return path.split('/').filter((step) => step !== '');
}
