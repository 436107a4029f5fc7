import type { Credentials } from '../../config/credentials.ts';
import type { MountDirectory } from '../../config/directories.ts';
import type { NETWORK } from '../../config/mount/network.ts';
import type { MountOptions } from '../../config/mount-options.ts';
import type { NetworkSettings } from '../../config/network.ts';
import type { ExitName } from '../exit-codes.ts';

/** Everything the mount process needs. Sent over its IPC channel: a command line or environment shows the token. */
export interface MountSettings extends Credentials {
  /** Real path. */
  readonly mountPoint: string;
  readonly options: Omit<
    MountOptions,
    'endpoint' | 'tokenFile' | 'profile' | 'dialect' | 'foreground' | keyof typeof NETWORK
  >;
  readonly network: NetworkSettings;
  readonly directory: MountDirectory;
  /** The mount ends with the process that asked for it (the channel closes), instead of outliving it. */
  readonly tied: boolean;
}

/** Before its answer: the mount waits so long for the rate limit of the service. */
export interface DaemonWait {
  readonly type: 'waiting';
  readonly ms: number;
}

/** The daemon's one answer. */
export type DaemonReport =
  | { readonly type: 'ready'; readonly username: string; readonly warnings: readonly string[] }
  | { readonly type: 'failed'; readonly exit: ExitName; readonly message: string };

/** The command tells the daemon this each time the daemon is to end. */
export const END = 'end';
