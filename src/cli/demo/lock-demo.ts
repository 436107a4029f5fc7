import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../lib/lock-file.ts';
import { CliError } from '../exit-codes.ts';
import type { StateLock } from '../mount/lock-state.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';

/** A command that was killed, or is just done, is gone by then. */
const WAIT_SECONDS = 2;

/**
 * Lets one command at a time start or end the demo at a mount point. A second one would take the other's service for a
 * leftover, and remove the data that it works on. Locks nothing where nothing can be locked.
 *
 * @throws CliError when another command holds the lock
 */
export async function lockDemo({ mountPoint, directory }: SvcfsMount): Promise<StateLock> {
  let handle: FileHandle | undefined;
  try {
    handle = await lockFile(join(directory.root, 'demo-lock'), WAIT_SECONDS);
  } catch {
    return { unlock: async () => undefined };
  }
  if (handle !== undefined) return { unlock: () => handle.close() };
  throw new CliError('busy', `${mountPoint}: a demo is just starting or ending there; try again in a moment`);
}
