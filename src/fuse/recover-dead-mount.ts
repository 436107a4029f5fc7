import { writeFile } from 'node:fs/promises';
import { unmountWithHelper } from './fusermount.ts';
import { stateOfMount } from './mount-state.ts';
import { type MountedFileSystem, mountedOn } from './mount-table.ts';
import { loadNativeAddon } from './native-addon.ts';

/**
 * Removes the mount on `path` if its server is gone. Answers whether it did; a MountError when that is refused. A mount that
 * does not answer stays: its server may only be stopped.
 */
export async function recoverDeadMount(path: string): Promise<boolean> {
  if ((await mountedOn(path)) === undefined || (await stateOfMount(path)) !== 'dead') return false;
  await forceUnmount(path);
  return true;
}

/**
 * Takes the mount on `path` away, even while programs use it and its server lives: the connection is aborted first, so
 * programs waiting in the mount get an error. The last resort, for a server that is dead or stuck.
 */
export async function forceUnmount(path: string): Promise<void> {
  const mount = await mountedOn(path);
  if (mount === undefined) return;
  await abortConnection(mount);
  if (unmountDirectly(path)) return;
  try {
    await unmountWithHelper(path, { lazy: true });
  } catch (error) {
    // Its server, or another who found it dead, may have been faster.
    if ((await mountedOn(path))?.deviceMinor === mount.deviceMinor) throw error;
  }
}

/** False when that takes more privilege, or an addon that is not built. */
function unmountDirectly(path: string): boolean {
  try {
    return loadNativeAddon().forceUnmount(path) === 0;
  } catch {
    return false;
  }
}

/**
 * Through fusectl, where it is mounted: the file belongs to the user who mounted. Elsewhere the unmount itself has to do: for
 * root it aborts, for other users it only takes the mount out of the tree.
 */
async function abortConnection({ deviceMinor }: MountedFileSystem): Promise<void> {
  await writeFile(`/sys/fs/fuse/connections/${deviceMinor}/abort`, '1').catch(() => {});
}
