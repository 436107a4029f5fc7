import { stat, writeFile } from 'node:fs/promises';
import { unmountWithHelper } from './fusermount.ts';
import { MountError } from './mount-error.ts';
import { mountedOn } from './mount-table.ts';
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
  await abortConnection(path);
  if (!unmountDirectly(path)) await unmountWithHelper(path, { lazy: true });
}

/** False when that takes more privilege, or an addon that is not built. */
function unmountDirectly(path: string): boolean {
  try {
    return loadNativeAddon().forceUnmount(path) === 0;
  } catch {
    return false;
  }
}

async function isDead(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && DEAD.has(String(error.code));
  }
}

/** Through fusectl, where it is mounted and the mount is ours; elsewhere the unmount itself has to do. */
async function abortConnection(path: string): Promise<void> {
  const mount = await mountedOn(path);
  if (mount === undefined) throw new MountError('other', `${path} is not a mount point`);
  await writeFile(`/sys/fs/fuse/connections/${mount.deviceMinor}/abort`, '1').catch(() => {});
}
