import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MountError } from './mount-error.ts';
import { stateOfMount } from './mount-state.ts';
import { mountedOn, readMountTable } from './mount-table.ts';
import { walkToMount } from './mount-walk.ts';
import { forceUnmount } from './recover-dead-mount.ts';

/**
 * The absolute path to mount on, after removing a mount there whose server has died. A MountError when it is missing,
 * not a directory, not empty or in use.
 */
export async function prepareMountPoint(given: string): Promise<string> {
  const path = await realMountPoint(given);
  await requireUnmounted(path);
  const found = await stat(path).catch((cause: unknown) => {
    throw new MountError('mount-point-missing', `${path} does not exist: create it with mkdir`, { cause });
  });
  if (!found.isDirectory()) throw new MountError('not-a-directory', `${path} is not a directory`);
  if ((await namesIn(path)).length > 0) {
    throw new MountError('not-empty', `${path} is not empty: choose an empty directory`);
  }
  return path;
}

/** Takes away a mount whose server has died. Nothing looks at the mount itself but a process that need not return. */
async function requireUnmounted(path: string): Promise<void> {
  if ((await mountedOn(path)) === undefined) return;
  const state = await stateOfMount(path);
  if (state === 'dead') await forceUnmount(path);
  if ((await mountedOn(path)) === undefined) return;
  const silent = state === 'silent' ? ', and its server does not answer' : '';
  const remedy = state === 'silent' ? `svcfs unmount --force ${path}` : 'unmount it or choose another';
  throw new MountError('already-mounted', `${path} is already a mount point${silent}: ${remedy}`);
}

/** Resolves links without a look at what is mounted there, which may be a dead mount that answers nothing. */
export async function realMountPoint(given: string): Promise<string> {
  const absolute = resolve(given);
  const table = await readMountTable();
  const walked = await walkToMount(absolute, table);
  if (walked !== undefined) {
    const path = join(walked.path, ...walked.rest);
    if (table(path) !== undefined) return path;
    if (walked.mount !== undefined && (await stateOfMount(walked.path)) === 'silent')
      throw new MountError('other', `${given} lies in the mount ${walked.path}, which does not answer`);
  }
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
