import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: a file's own fsync need not (fsync(2)). */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
