import { systemClock } from '../lib/clock.ts';
import { messageOf } from '../lib/message-of.ts';
import type { FileSystem } from '../vfs/file-system.ts';
import { unmountWithHelper } from './fusermount.ts';
import { mountInKernel } from './kernel-mount.ts';
import { KernelReadahead } from './kernel-readahead.ts';
import type { Mount, MountOptions } from './mount.ts';
import { MountError } from './mount-error.ts';
import { prepareMountPoint } from './mount-point.ts';
import { mountedOn } from './mount-table.ts';
import { loadNativeAddon } from './native-addon.ts';
import { NativeTransport } from './native-transport.ts';
import { recoverDeadMount } from './recover-dead-mount.ts';
import { startSession } from './start-session.ts';
import { unmountDirectly } from './unmount-directly.ts';

/** The kernel ends a mount with its last mount namespace; where that was ours, at once. */
const HELD_AFTER_MS = 3000;

/**
 * Mounts `fs` through /dev/fuse. Resolves when the kernel and the session have agreed on the protocol: from then on
 * requests are answered, on this thread's event loop. A process that ends in a way Node notices takes its mounts away.
 */
export async function mountNative(fs: FileSystem, options: MountOptions): Promise<Mount> {
  const addon = loadNativeAddon();
  const mountPoint = await prepareMountPoint(options.mountPoint);
  const mounted = await mountInKernel(addon, mountPoint, options);
  const transport = new NativeTransport(addon, { ...mounted, mountPoint });
  const ours = await mountedOn(mountPoint);
  const readahead = await KernelReadahead.of(mountPoint);
  const session = startSession(fs, options, { transport, readahead });
  try {
    await session.ready;
  } catch (cause) {
    transport.detach();
    throw new MountError('other', `${mountPoint}: ${messageOf(cause)}`, {
      cause,
    });
  }
  const closed = session.closed.then(() => removeDead(mountPoint, ours?.deviceMinor));
  return {
    mountPoint,
    closed,
    detachNow: session.detachNow,
    async unmount(): Promise<void> {
      await (mounted.viaHelper
        ? unmountWithHelper(mountPoint, { lazy: false })
        : unmountDirectly(mountPoint));
      await requireClosed(closed, mountPoint);
    },
  };
}

/**
 * The kernel may end a mount and let it stand: `umount -f` of one that is in use. Any other mount that is there by now
 * stays.
 */
async function removeDead(mountPoint: string, deviceMinor: number | undefined): Promise<void> {
  const there = await mountedOn(mountPoint);
  if (there === undefined || there.deviceMinor !== deviceMinor) return;
  // A refusal is left to the next look, which finds the mount dead.
  await recoverDeadMount(mountPoint).catch(() => undefined);
}

async function requireClosed(closed: Promise<void>, mountPoint: string): Promise<void> {
  const waited = new AbortController();
  const held = systemClock.sleep(HELD_AFTER_MS, waited.signal).then(() => {
    throw new MountError('held', `${mountPoint}: unmounted, but another mount namespace still holds it`);
  });
  await Promise.race([closed, held]).finally(() => waited.abort());
}
