import { messageOf } from '../lib/message-of.ts';
import { mountWithHelper } from './fusermount.ts';
import type { MountOptions } from './mount.ts';
import { MountError } from './mount-error.ts';
import type { NativeAddon } from './native-addon.ts';
import { MAX_READ_BYTES } from './protocol/init.ts';

/** `fuse.svcfs` in /proc/mounts: what updatedb and backups exclude by. */
const SUBTYPE = 'svcfs';

/** A mount that waits for INIT, and the device its requests come from. */
export interface KernelMount {
  readonly device: number;
  /** Made by fusermount3, which alone may take it away. */
  readonly viaHelper: boolean;
}

const MS_RDONLY = 1;
const MS_NOEXEC = 8;
const MAX_READ = `max_read=${MAX_READ_BYTES}`;

/** Mounts on a prepared mount point: mount(2) when privileged, else fusermount3. */
export async function mountInKernel(
  addon: NativeAddon,
  mountPoint: string,
  options: MountOptions,
): Promise<KernelMount> {
  const privileged = mountDirectly(addon, mountPoint, options);
  if (privileged !== undefined) return { device: privileged, viaHelper: false };
  return { device: await mountWithHelper(addon, mountPoint, helperOptions(options)), viaHelper: true };
}

/** Undefined when only the helper may. */
function mountDirectly(addon: NativeAddon, mountPoint: string, options: MountOptions): number | undefined {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  if (uid !== 0) return undefined;
  const data = [
    'rootmode=40000',
    `user_id=${uid}`,
    `group_id=${gid}`,
    'default_permissions',
    MAX_READ,
    ...(options.allowOther === true ? ['allow_other'] : []),
  ].join(',');
  try {
    return addon.mountDevice(options.fsName, mountPoint, `fuse.${SUBTYPE}`, flagsOf(options), data);
  } catch (cause) {
    if (isErrno(cause, 'EPERM')) return undefined;
    throw directMountError(cause, mountPoint);
  }
}

/** MS_RDONLY and MS_NOEXEC of mount(2); the addon adds MS_NOSUID and MS_NODEV. */
function flagsOf({ readOnly, noExec }: MountOptions): number {
  return (readOnly === true ? MS_RDONLY : 0) | (noExec === true ? MS_NOEXEC : 0);
}

function helperOptions(options: MountOptions): string {
  return [
    `fsname=${options.fsName.replaceAll(/([\\,])/g, '\\$1')}`,
    `subtype=${SUBTYPE}`,
    'nosuid',
    'nodev',
    'default_permissions',
    MAX_READ,
    ...(options.readOnly === true ? ['ro'] : []),
    ...(options.noExec === true ? ['noexec'] : []),
    ...(options.allowOther === true ? ['allow_other'] : []),
  ].join(',');
}

function directMountError(cause: unknown, mountPoint: string): MountError {
  const message = messageOf(cause);
  if (isErrno(cause, 'ENOENT') || isErrno(cause, 'ENODEV') || isErrno(cause, 'ENXIO')) {
    return new MountError(
      'no-device',
      `no FUSE here: modprobe fuse, or give the container /dev/fuse (${message})`,
      { cause },
    );
  }
  if (isErrno(cause, 'EACCES')) {
    return new MountError('no-permission', `you may not use /dev/fuse: chmod 0666 /dev/fuse (${message})`, {
      cause,
    });
  }
  return new MountError('other', `${mountPoint}: ${message}`, { cause });
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
