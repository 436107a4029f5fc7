import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type MountedFileSystem, mountedOn, readMountTable } from '../../fuse/mount-table.ts';
import { walkToMount } from '../../fuse/mount-walk.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { CliError } from '../exit-codes.ts';

/** A mount point by its real path, and what is mounted there. */
export interface FoundMount {
  readonly mountPoint: string;
  readonly mounted: MountedFileSystem | undefined;
}

/**
 * Finds what a person means by the path of a mount. A mount of svcfs is not touched, nor what is below it: it may be dead or
 * hang.
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
  const table = await readMountTable();
  const walked = await walkToMount(absolute, table);
  if (walked !== undefined) {
    const mountPoint = join(walked.path, ...walked.rest);
    const mounted = table(mountPoint);
    if (mounted !== undefined || walked.mount !== undefined) return { mountPoint, mounted };
  }
  const mountPoint = await realpath(absolute);
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
