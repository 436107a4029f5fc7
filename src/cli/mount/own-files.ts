import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { readMountTable } from '../../fuse/mount-table.ts';
import { walkToMount } from '../../fuse/mount-walk.ts';
import { errorCode } from '../../lib/error-code.ts';
import { CliError } from '../exit-codes.ts';
import type { MountSettings } from './daemon-messages.ts';

/** A place that svcfs itself reads or writes while it serves the mount. */
export interface OwnPlace {
  readonly what: string;
  readonly path: string;
}

/**
 * Refuses a mount point that would hide a place svcfs itself uses: a request of our own process on our own mount
 * waits for an answer that nobody is left to give.
 */
export async function refuseOwnFilesBelow(mountPoint: string, places: readonly OwnPlace[]): Promise<void> {
  for (const { what, path } of places) {
    if (isWithin(mountPoint, await realAsFarAsExists(path))) {
      throw new CliError(
        'mountPointUnfit',
        `${mountPoint}: holds svcfs's own ${what} (${path}); choose another`,
      );
    }
  }
}

/** Whether a path leads into what will be the mount, or into a passed mount, which is there and may not be looked at. */
export async function leadsInside(
  { mountPoint, passed }: Pick<MountSettings, 'mountPoint' | 'passed'>,
  path: string,
): Promise<boolean> {
  return passed === undefined ? leadsInto(mountPoint, path) : leadsIntoMount(path);
}

/** Whether a path leads into any mount of svcfs; none is touched. */
export async function leadsIntoMount(path: string): Promise<boolean> {
  return (await walkToMount(path, await readMountTable()))?.mount !== undefined;
}

/**
 * Whether a path is in a directory or leads there by symbolic links or bind mounts. Its last components need not exist
 * yet. To be asked before the directory is mounted on: afterwards it is another, and may not answer.
 */
export async function leadsInto(directory: string, path: string): Promise<boolean> {
  const { dev, ino } = await stat(directory);
  for (let at = await realAsFarAsExists(path).catch(() => path); ; at = dirname(at)) {
    const facts = await stat(at).catch(() => undefined);
    if (facts?.dev === dev && facts.ino === ino) return true;
    if (at === dirname(at)) return false;
  }
}

function isWithin(directory: string, path: string): boolean {
  const step = relative(directory, path);
  return step !== '..' && !step.startsWith(`..${sep}`);
}

/** The real path, of which the last components need not exist yet. */
async function realAsFarAsExists(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || path === dirname(path)) throw error;
    return join(await realAsFarAsExists(dirname(path)), path.slice(dirname(path).length));
  }
}
