import type { FileSystem } from '../vfs/file-system.ts';
import type { Observer } from './observer.ts';

export interface MountOptions {
  /** An empty directory; a dead mount on it is removed. */
  readonly mountPoint: string;
  /** The first column of `df` and /proc/mounts. */
  readonly fsName: string;
  readonly readOnly?: boolean;
  /** Let no program be started from it (mount(8), noexec). */
  readonly noExec?: boolean;
  /** Let other users in; without being root this needs user_allow_other in /etc/fuse.conf. */
  readonly allowOther?: boolean;
  /** Let the kernel read files of this machine that the file system names, where it can. */
  readonly passthrough?: boolean;
  /** The positive errno for anything that a handler threw. */
  readonly errnoOf: (error: unknown) => number;
  readonly observer?: Observer;
}

/** A mount that answers. */
export interface Mount {
  readonly mountPoint: string;
  /**
   * Unmounts when nobody uses it; a MountError of kind `busy` otherwise, of kind `held` when it is unmounted here and goes on in
   * another mount namespace, of kind `not-ours` when another process has to. Resolves once the file system was detached.
   */
  unmount(): Promise<void>;
  /** Takes the mount away now, even while programs use it; synchronous, for the ways a process can end. */
  detachNow(): void;
  /** The kernel's end is gone, by an unmount of any process. */
  readonly closed: Promise<void>;
}

/** A way to mount a file system: the native transport, or the npm package fuse-native. Rejects with a MountError. */
export type Driver = (fs: FileSystem, options: MountOptions) => Promise<Mount>;
