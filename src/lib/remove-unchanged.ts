import type { Dirent } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a file, or a directory with all that is in it, when no inode of it has changed since a time (Unix milliseconds).
 * Being linked or renamed counts as a change, as being written to does. Answers whether it was removed.
 */
export async function removeUnchanged(path: string, since: number): Promise<boolean> {
  if ((await newestChange(path)) >= since) return false;
  await rm(path, { recursive: true, force: true });
  return true;
}

/** The entries of a directory; none when there is no such directory. */
export async function entriesOf(directory: string): Promise<Dirent[]> {
  return (await readdir(directory, { withFileTypes: true }).catch(ignoreAbsence)) ?? [];
}

async function newestChange(path: string): Promise<number> {
  const stats = await lstat(path).catch(ignoreAbsence);
  // Gone by itself at this moment: nothing is left to remove.
  if (stats === undefined) return Number.POSITIVE_INFINITY;
  if (!stats.isDirectory()) return stats.ctimeMs;
  const inside = await Promise.all((await entriesOf(path)).map(({ name }) => newestChange(join(path, name))));
  return Math.max(stats.ctimeMs, ...inside);
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
