import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MountError } from './mount-error.ts';
import { mountedOn } from './mount-table.ts';
import { recoverDeadMount } from './recover-dead-mount.ts';

/**
 * The absolute path to mount on, after removing a mount there whose server has died. A MountError when it is missing,
 * not a directory, not empty or in use.
 */
export async function prepareMountPoint(given: string): Promise<string> {
  const path = await realMountPoint(given);
  await recoverDeadMount(path);
  if ((await mountedOn(path)) !== undefined) {
    throw new MountError('already-mounted', `${path} is already a mount point: unmount it or choose another`);
  }
  const found = await stat(path).catch((cause: unknown) => {
    throw new MountError('mount-point-missing', `${path} does not exist: create it with mkdir`, { cause });
  });
  if (!found.isDirectory()) throw new MountError('not-a-directory', `${path} is not a directory`);
  if ((await namesIn(path)).length > 0) {
    throw new MountError('not-empty', `${path} is not empty: choose an empty directory`);
  }
  return path;
}

/** Resolves links in all but the last component, which may be a dead mount that answers nothing. */
export async function realMountPoint(given: string): Promise<string> {
  const absolute = resolve(given);
  try {
    return await realpath(absolute);
  } catch {
    const parent = await realpath(dirname(absolute)).catch((cause: unknown) => {
      throw new MountError('mount-point-missing', `${dirname(absolute)} does not exist`, { cause });
    });
    return join(parent, basename(absolute));
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (cause) {
    throw new MountError('no-permission', `${path} cannot be read: choose a directory of your own`, {
      cause,
    });
  }
}
