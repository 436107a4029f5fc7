import { open } from 'node:fs/promises';

/** Has the disk keep what was written to a file (fsync(2)). Its name is durable once its directory is synced as well. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a directory durable: a file's own fsync need not (fsync(2)). */
export function syncDirectory(path: string): Promise<void> {
  return syncFile(path);
}
