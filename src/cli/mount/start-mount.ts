import { homedir, tmpdir } from 'node:os';
import { awsFiles } from '../../config/bucket-keys.ts';
import type { Credentials } from '../../config/credentials.ts';
import { type MountDirectory, mountDirectory, stateDirectory } from '../../config/directories.ts';
import type { NetworkSettings } from '../../config/network.ts';
import { prepareMountPoint } from '../../fuse/mount-point.ts';
import { passedDescriptor } from '../../fuse/passed-device.ts';
import { PACKAGE_ROOT } from '../../lib/package-root.ts';
import { CliError } from '../exit-codes.ts';
import { requireOpenFiles } from '../require-open-files.ts';
import { choosePassed } from './choose-passed.ts';
import { clearDeadMount } from './clear-dead-mount.ts';
import type { MountSettings, PassedMount } from './daemon-messages.ts';
import { type OwnPlace, refuseOwnFilesBelow } from './own-files.ts';
import { requireRoomForParts } from './room-for-parts.ts';
import { type Daemon, startDaemon } from './start-daemon.ts';

export interface MountRequest {
  /** A directory, or the descriptor of a mount that is there: `/dev/fd/N`. */
  readonly path: string;
  readonly credentials: Credentials;
  readonly options: MountSettings['options'];
  readonly network: NetworkSettings;
  readonly manifest?: MountSettings['manifest'];
  readonly buckets: MountSettings['buckets'];
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
  const { credentials, options, network, manifest, buckets, tied, onWait } = request;
  requireRoomForParts(options);
  await requireOpenFiles();
  const own = credentials.tokenPlaces?.own;
  const secrets = [
    ...(own === undefined ? [] : [{ what: 'token', path: own.path }]),
    ...(buckets.some(({ keys }) => 'profile' in keys) ? awsFiles(process.env, homedir()) : []).map(
      (file) => ({
        what: 'keys of buckets',
        path: file,
      }),
    ),
  ];
  const { path } = request;
  const { mountPoint, directory, passed } = await choosePlace(path, options.mountedOn, secrets);
  const settings = {
    mountPoint,
    ...credentials,
    options,
    network,
    manifest,
    buckets,
    directory,
    tied,
    passed,
  };
  const daemon = await startDaemon(settings, onWait);
  return { mountPoint, directory, daemon };
}

/** A place to serve, and the state that belongs to it. */
interface ChosenPlace {
  readonly mountPoint: string;
  readonly directory: MountDirectory;
  readonly passed?: PassedMount;
}

/** Where the mount will be, or where another process has mounted it; `mountedOn` says so where svcfs cannot see it. */
export async function choosePlace(
  path: string,
  mountedOn: string | undefined,
  alsoOwn: readonly OwnPlace[] = [],
): Promise<ChosenPlace> {
  const descriptor = passedDescriptor(path);
  if (descriptor === undefined && mountedOn !== undefined)
    throw new CliError('usage', '--mounted-on goes with /dev/fd/N: leave it out');
  if (descriptor === undefined) return chooseMountPoint(path, alsoOwn);
  const state = stateDirectory(process.env, homedir());
  const own = [{ what: 'state and log', path: state }, ...alsoOwn];
  const { name, passed } = await choosePassed(descriptor, mountedOn, own);
  return { mountPoint: name, directory: mountDirectory(state, name), passed };
}

/** The real path of a directory that can be mounted on, and the state that belongs to it. */
export async function chooseMountPoint(
  path: string,
  alsoOwn: readonly OwnPlace[] = [],
): Promise<ChosenPlace> {
  await clearDeadMount(path);
  const mountPoint = await prepareMountPoint(path);
  const state = stateDirectory(process.env, homedir());
  await refuseOwnFilesBelow(mountPoint, [
    { what: 'state and log', path: state },
    { what: 'temporary files', path: tmpdir() },
    { what: 'program', path: PACKAGE_ROOT },
    { what: 'runtime', path: process.execPath },
    ...alsoOwn,
  ]);
  return { mountPoint, directory: mountDirectory(state, mountPoint) };
}
