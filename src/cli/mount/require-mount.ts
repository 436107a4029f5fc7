import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { type MountDirectory, mountDirectory, stateDirectory } from '../../config/directories.ts';
import { isSvcfs, type MountedFileSystem } from '../../fuse/mount-table.ts';
import { CliError } from '../exit-codes.ts';
import { findMount } from './find-mount.ts';

export interface SvcfsMount {
  readonly mountPoint: string;
  readonly directory: MountDirectory;
}

/** One that is in the mount table. */
export interface TabledMount extends SvcfsMount {
  /** Of its st_dev. */
  readonly deviceMinor: number;
  /** Of the user who mounted. */
  readonly userId?: number | undefined;
}

/** The svcfs mount of this user at a path, dead or alive. Root may name those of all. */
export async function requireMount(path: string): Promise<TabledMount> {
  const { mountPoint, mounted } = await findMount(path);
  if (mounted === undefined) throw new CliError('notMounted', `${path}: not a mount point`);
  if (!isSvcfs(mounted))
    throw new CliError('notMounted', `${path}: a mount of type ${mounted.type}, not of svcfs`);
  await requireOwnMount(path, mounted);
  const { deviceMinor, userId } = mounted;
  const directory = mountDirectory(stateDirectory(process.env, homedir()), mountPoint);
  return { mountPoint, deviceMinor, userId, directory };
}

const ROOT = 0;

/** Refuses what only the user who mounted may do, and root. */
async function requireOwnMount(path: string, { userId }: MountedFileSystem): Promise<void> {
  const own = process.getuid?.();
  if (userId === undefined || own === undefined || own === ROOT || own === userId) return;
  const name = await nameOf(userId);
  const may = userId === ROOT ? name : `${name} or root`;
  throw new CliError('failure', `${path}: a mount of ${name}: only ${may} can unmount it`);
}

/** As the system's user database has it. */
async function nameOf(userId: number): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('id', ['-nu', '--', String(userId)]);
    return stdout.trim();
  } catch {
    return `user ${userId}`;
  }
}
