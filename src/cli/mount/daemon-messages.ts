import type { VolumeKeys } from '../../config/bucket-keys.ts';
import type { Credentials } from '../../config/credentials.ts';
import type { MountDirectory } from '../../config/directories.ts';
import type { NETWORK } from '../../config/mount/network.ts';
import type { MountOptions } from '../../config/mount-options.ts';
import type { NetworkSettings } from '../../config/network.ts';
import type { PinnedFile } from '../../vfs/model/pin.ts';
import type { ExitName } from '../exit-codes.ts';

/** A mount that another process has made and takes away; svcfs was passed its descriptor. */
export interface PassedMount {
  /** In the process that was started with it; the mount process has it as `PASSED_DEVICE`. */
  readonly descriptor: number;
  /** Of the st_dev of the mount, where the kernel tells it. */
  readonly deviceMinor: number | undefined;
  /** It is in the mount namespace of svcfs. */
  readonly isSeen: boolean;
}

/** Everything the mount process needs. Sent over its IPC channel: a command line or environment shows the token. */
export interface MountSettings extends Credentials {
  /** Real path; of a passed mount what commands call it. */
  readonly mountPoint: string;
  readonly options: Omit<
    MountOptions,
    'endpoint' | 'tokenFile' | 'profile' | 'dialect' | 'foreground' | keyof typeof NETWORK
  >;
  readonly network: NetworkSettings;
  /** The files to show, and no others. */
  readonly manifest?: readonly PinnedFile[] | undefined;
  /** Of the buckets of volumes. */
  readonly buckets: readonly VolumeKeys[];
  readonly directory: MountDirectory;
  readonly passed?: PassedMount | undefined;
  /** The mount ends with the process that asked for it (the channel closes), instead of outliving it. */
  readonly tied: boolean;
}

/** After the standard ones and the IPC channel. */
export const PASSED_DEVICE = 4;

/** Before its answer: the mount waits so long for the rate limit of the service. */
export interface DaemonWait {
  readonly type: 'waiting';
  readonly ms: number;
}

/** The daemon's one answer. */
export type DaemonReport =
  | {
      readonly type: 'ready';
      readonly username: string;
      readonly warnings: readonly string[];
      /** The address of the metrics, where they were asked for. */
      readonly metricsUrl?: string | undefined;
    }
  | { readonly type: 'failed'; readonly exit: ExitName; readonly message: string };

/** The command tells the daemon this each time the daemon is to end. */
export const END = 'end';
