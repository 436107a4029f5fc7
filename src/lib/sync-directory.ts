import { syncFile } from './sync-file.ts';

/** Makes the names in a directory durable: a file's own fsync need not (fsync(2)). */
export function syncDirectory(path: string): Promise<void> {
  return syncFile(path);
}
