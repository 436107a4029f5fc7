import { homedir } from 'node:os';
import { type MountDirectory, mountDirectory, stateDirectory } from '../../config/directories.ts';
import { isSvcfs } from '../../fuse/mount-table.ts';
import { CliError } from '../exit-codes.ts';
import { findMount } from './find-mount.ts';
import { requireOwnMount } from './require-own-mount.ts';

export interface SvcfsMount {
  readonly mountPoint: string;
  readonly directory: MountDirectory;
}

/** One that is in the mount table. */
export interface TabledMount extends SvcfsMount {
  /** Of its st_dev. */
  readonly deviceMinor: number;
}

/** The svcfs mount of this user at a path, dead or alive. Root may name those of all. */
export async function requireMount(path: string): Promise<TabledMount> {
  const { mountPoint, mounted } = await findMount(path);
  if (mounted === undefined) throw new CliError('notMounted', `${path}: not a mount point`);
  if (!isSvcfs(mounted))
    throw new CliError('notMounted', `${path}: a mount of type ${mounted.type}, not of svcfs`);
  await requireOwnMount(path, mounted);
  const { deviceMinor } = mounted;
  const directory = mountDirectory(stateDirectory(process.env, homedir()), mountPoint);
  return { mountPoint, deviceMinor, directory };
}
