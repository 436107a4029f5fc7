import { statfs, writeFile } from 'node:fs/promises';
import { unmountWithHelper } from './fusermount.ts';
import { type MountedFileSystem, mountedOn } from './mount-table.ts';
import { loadNativeAddon } from './native-addon.ts';

/** What any access answers when the server of a mount has died, or was aborted. */
const DEAD = new Set(['ENOTCONN', 'ECONNABORTED']);

/** Removes the mount on `path` if its server is gone. Answers whether it did; a MountError when that is refused. */
export async function recoverDeadMount(path: string): Promise<boolean> {
  if (!(await isDead(path))) return false;
  await forceUnmount(path);
  return true;
}

/**
 * Takes the mount on `path` away, whoever uses it and whatever its server does: the connection is aborted first, so
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

/** By what the kernel asks the server for each time: the attributes of a dead mount it may still have. */
async function isDead(path: string): Promise<boolean> {
  try {
    await statfs(path);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && DEAD.has(String(error.code));
  }
}

/** Through fusectl, where it is mounted and the mount is ours; elsewhere the unmount itself has to do. */
async function abortConnection({ deviceMinor }: MountedFileSystem): Promise<void> {
  await writeFile(`/sys/fs/fuse/connections/${deviceMinor}/abort`, '1').catch(() => {});
}
