import { spawnSync } from 'node:child_process';
import type Fuse from 'fuse-native';
import { messageOf } from '../lib/message-of.ts';
import type { FileSystem, KernelCaches } from '../vfs/file-system.ts';
import type { Mount, MountOptions } from './mount.ts';
import { MountError } from './mount-error.ts';
import { prepareMountPoint } from './mount-point.ts';
import { pathOperations } from './path-operations.ts';

/** This driver cannot tell the kernel to forget; libfuse's own timeouts of one second have to do. */
const NO_CACHES: KernelCaches = {
  invalidateEntry: () => {},
  lookedUp: () => {},
  invalidateNode: () => {},
};

/**
 * Mounts `fs` through the npm package fuse-native (libfuse 2.9): where the addon cannot be built, and on macOS. See
 * `pathOperations` for what is lost. Unmounting takes a busy mount too, and the process has to end it: an unmount from
 * outside is not noticed.
 */
export async function mountFuseNative(fs: FileSystem, options: MountOptions): Promise<Mount> {
  const Package = await loadPackage();
  const mountPoint = await prepareMountPoint(options.mountPoint);
  const fuse = new Package(mountPoint, pathOperations(fs, options.errnoOf), {
    fsname: mountFlags(options),
    allowOther: options.allowOther === true,
    defaultPermissions: true,
    timeout: false,
  });
  fs.attach(NO_CACHES);
  await settled((done) => fuse.mount(done), mountPoint);

  let resolveClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  const end = (): void => {
    process.off('exit', detachNow);
    fs.detach();
    resolveClosed();
  };
  const detachNow = (): void => {
    const [command, ...args] = process.platform === 'darwin' ? ['umount', '-f'] : ['fusermount', '-uz'];
    spawnSync(command ?? '', [...args, mountPoint], { stdio: 'ignore', cwd: '/' });
    end();
  };
  process.once('exit', detachNow);
  return {
    mountPoint,
    closed,
    detachNow,
    async unmount(): Promise<void> {
      await settled((done) => fuse.unmount(done), mountPoint);
      end();
    },
  };
}

/**
 * The package knows few options, and passes the name on unquoted: the others travel with it. Without big_writes every
 * write is 4 KiB; without hard_remove libfuse renames open files instead of removing them.
 */
function mountFlags(options: MountOptions): string {
  const linux = ['big_writes', 'subtype=svcfs', 'nosuid', 'nodev', 'hard_remove'];
  const flags = process.platform === 'darwin' ? [] : linux;
  const asked = [
    ...(options.readOnly === true ? ['ro'] : []),
    ...(options.noExec === true ? ['noexec'] : []),
  ];
  return [options.fsName.replaceAll(',', '_'), ...flags, ...asked].join();
}

function settled(start: (done: (error: Error | null) => void) => void, mountPoint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error) reject(new MountError('other', `${mountPoint}: ${error.message}`, { cause: error }));
      else resolve();
    });
  });
}

async function loadPackage(): Promise<typeof Fuse> {
  try {
    return (await import('fuse-native')).default;
  } catch (cause) {
    const reason = messageOf(cause).split('\n')[0];
    throw new MountError('addon-missing', `fuse-native cannot be loaded (${reason}): install libfuse2`, {
      cause,
    });
  }
}
