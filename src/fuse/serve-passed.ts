import { systemClock } from '../lib/clock.ts';
import type { FileSystem } from '../vfs/file-system.ts';
import type { Mount, MountOptions } from './mount.ts';
import { MountError } from './mount-error.ts';
import { loadNativeAddon } from './native-addon.ts';
import { NativeTransport } from './native-transport.ts';
import { notMounted } from './passed-device.ts';
import { startSession } from './start-session.ts';

/** The kernel has put FUSE_INIT there before mount(2) returned. */
const INIT_TIMEOUT_MS = 5000;

/** Serves the mount that belongs to a descriptor of /dev/fuse, as `mountNative` serves one of its own, and never unmounts it. */
export async function servePassed(
  fs: FileSystem,
  { descriptor, isSeen }: { readonly descriptor: number; readonly isSeen: boolean },
  options: MountOptions,
): Promise<Mount> {
  const { mountPoint } = options;
  const addon = loadNativeAddon();
  addon.adoptDevice(descriptor);
  const transport = new NativeTransport(addon, { device: descriptor, mountPoint: '', viaHelper: false });
  const { ready, closed, detachNow } = startSession(fs, options, {
    transport,
    // A mount of other places has programs of other PID namespaces, perhaps: their numbers would be those of others here.
    ...(!isSeen && { wantsToStop: () => true }),
  });
  const waited = new AbortController();
  const silence = systemClock.sleep(INIT_TIMEOUT_MS, waited.signal).then(() => {
    throw new Error('no FUSE_INIT arrives on it, which another process may have read');
  });
  try {
    await Promise.race([ready, silence]);
  } catch (cause) {
    detachNow();
    throw notMounted(mountPoint, cause);
  } finally {
    waited.abort();
    silence.catch(() => undefined);
  }
  return {
    mountPoint,
    closed,
    detachNow,
    unmount: () =>
      Promise.reject(
        new MountError('not-ours', `${mountPoint}: mounted by another process, which unmounts it`),
      ),
  };
}
