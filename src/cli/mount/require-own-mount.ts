import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MountedFileSystem } from '../../fuse/mount-table.ts';
import { CliError } from '../exit-codes.ts';

const ROOT = 0;

/** Refuses what only the user who mounted may do, and root. */
export async function requireOwnMount(path: string, { userId }: MountedFileSystem): Promise<void> {
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
