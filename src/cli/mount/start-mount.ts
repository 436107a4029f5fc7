import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '../../config/credentials.ts';
import { type MountDirectory, mountDirectory, stateDirectory } from '../../config/directories.ts';
import type { NetworkSettings } from '../../config/network.ts';
import { prepareMountPoint } from '../../fuse/mount-point.ts';
import { requireOpenFiles } from '../require-open-files.ts';
import { clearDeadMount } from './clear-dead-mount.ts';
import type { MountSettings } from './daemon-messages.ts';
import { type OwnPlace, refuseOwnFilesBelow } from './own-files.ts';
import { requireRoomForParts } from './room-for-parts.ts';
import { type Daemon, startDaemon } from './start-daemon.ts';

export interface MountRequest {
  readonly path: string;
  readonly credentials: Credentials;
  readonly options: MountSettings['options'];
  readonly network: NetworkSettings;
  /** The mount ends with this process. */
  readonly tied: boolean;
  /** Told when it waits for the rate limit, and how long. */
  readonly onWait: (ms: number) => void;
}

export interface StartedMount {
  readonly mountPoint: string;
  readonly directory: MountDirectory;
  readonly daemon: Daemon;
}

/** Everything a mount point must be, then the process that serves it. */
export async function startMount(request: MountRequest): Promise<StartedMount> {
  const { credentials, options, network, tied, onWait } = request;
  requireRoomForParts(options);
  await requireOpenFiles();
  const own = credentials.tokenPlaces?.own;
  const tokenFile = own === undefined ? [] : [{ what: 'token', path: own.path }];
  const { mountPoint, directory } = await chooseMountPoint(request.path, tokenFile);
  const daemon = await startDaemon({ mountPoint, ...credentials, options, network, directory, tied }, onWait);
  return { mountPoint, directory, daemon };
}

/** The real path of a directory that can be mounted on, and the state that belongs to it. */
export async function chooseMountPoint(
  path: string,
  alsoOwn: readonly OwnPlace[] = [],
): Promise<{ readonly mountPoint: string; readonly directory: MountDirectory }> {
  await clearDeadMount(path);
  const mountPoint = await prepareMountPoint(path);
  const state = stateDirectory(process.env, homedir());
  await refuseOwnFilesBelow(mountPoint, [
    { what: 'state and log', path: state },
    { what: 'temporary files', path: tmpdir() },
    { what: 'program', path: fileURLToPath(new URL('../../..', import.meta.url)) },
    { what: 'runtime', path: process.execPath },
    ...alsoOwn,
  ]);
  return { mountPoint, directory: mountDirectory(state, mountPoint) };
}
