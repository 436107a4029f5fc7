import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../lib/lock-file.ts';
import type { Logger } from '../observe/logger.ts';

/** A process that was killed, or has just ended, is gone by then. */
const WAIT_SECONDS = 2;

/**
 * Keeps a second process from a data directory whose database is SQLite's. Each of the two would count the requests of a
 * token alone. Each would wait while the other writes, and would fill an empty directory with the same demo. Two machines
 * that share the directory would destroy the database: its log is no log between machines (sqlite.org/wal.html).
 *
 * @returns The lock, for as long as it is open; undefined where nothing can be locked
 */
export async function lockData(data: string, log: Logger): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await lockFile(join(data, 'lock'), WAIT_SECONDS);
  } catch (err) {
    log.warn({ err }, 'nothing can be locked here: no other process may serve this data directory');
    return undefined;
  }
  if (handle !== undefined) return handle;
  throw new Error(
    'another svcfs serve works on it, here or on a machine that shares it; several processes need a PostgreSQL database (--database)',
  );
}
