import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type MountedFileSystem, mountedOn } from '../../fuse/mount-table.ts';

/** A mount point by its real path, and what is mounted there. */
export interface FoundMount {
  readonly mountPoint: string;
  readonly mounted: MountedFileSystem | undefined;
}

/**
 * Finds what a person means by the path of a mount. The mount itself is not touched: the file system there may be
 * dead or hang, so the last component is looked at only when nothing is mounted on it.
 */
export async function findMount(path: string): Promise<FoundMount> {
  const absolute = resolve(path);
  const direct = join(await realpath(dirname(absolute)), basename(absolute));
  const mounted = await mountedOn(direct);
  if (mounted !== undefined) return { mountPoint: direct, mounted };
  const mountPoint = await realpath(direct);
  return { mountPoint, mounted: await mountedOn(mountPoint) };
}

/** Whether it is one of ours, by the type that `mount` and /proc/mounts show. */
export function isSvcfs(mounted: MountedFileSystem): boolean {
  return mounted.type === 'fuse.svcfs';
}
