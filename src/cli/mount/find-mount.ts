import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type MountedFileSystem, mountedOn } from '../../fuse/mount-table.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { CliError } from '../exit-codes.ts';

/** A mount point by its real path, and what is mounted there. */
export interface FoundMount {
  readonly mountPoint: string;
  readonly mounted: MountedFileSystem | undefined;
}

/**
 * Finds what a person means by the path of a mount. The mount itself is not touched: the file system there may be
 * dead or hang, so the last component is looked at only when nothing is mounted on it.
 *
 * @throws CliError that has what the system said for its cause
 */
export async function findMount(path: string): Promise<FoundMount> {
  try {
    return await find(resolve(path));
  } catch (error) {
    throw new CliError('notMounted', `${path}: ${reasonOf(error)}`, { cause: error });
  }
}

async function find(absolute: string): Promise<FoundMount> {
  const direct = join(await realpath(dirname(absolute)), basename(absolute));
  const mounted = await mountedOn(direct);
  if (mounted !== undefined) return { mountPoint: direct, mounted };
  const mountPoint = await realpath(direct);
  return { mountPoint, mounted: await mountedOn(mountPoint) };
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return 'no such directory';
    case 'ENOTCONN':
      return 'in a mount whose process has ended';
    default:
      return plainReason(error);
  }
}

/** Whether it is one of ours, by the type that `mount` and /proc/mounts show. */
export function isSvcfs(mounted: MountedFileSystem): boolean {
  return mounted.type === 'fuse.svcfs';
}
