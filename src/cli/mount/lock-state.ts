import { type FileHandle, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MountDirectory } from '../../config/directories.ts';
import { lockFile } from '../../lib/lock-file.ts';
import type { Logger } from '../../observe/logger.ts';
import { CliError } from '../exit-codes.ts';

/** A process that was killed, or has just unmounted, is gone by then. */
const WAIT_SECONDS = 2;

export interface StateLock {
  unlock(): Promise<void>;
}

/**
 * Keeps others from what a mount point has on disk: two processes with one journal would publish each other's files and
 * remove each other's spools. The control socket does not tell of a process on another machine, whose home directory this may be.
 */
export async function lockState({ root }: MountDirectory, log: Logger): Promise<StateLock> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  let handle: FileHandle | undefined;
  try {
    handle = await lockFile(join(root, 'lock'), WAIT_SECONDS);
  } catch (err) {
    log.warn({ err }, 'nothing can be locked here: no other machine that shares this directory may mount');
    return { unlock: async () => undefined };
  }
  if (handle !== undefined) return { unlock: () => handle.close() };
  throw new CliError(
    'alreadyMounted',
    `another svcfs process serves this mount point, here or on a machine that shares ${root}: unmount it there, or set XDG_STATE_HOME to a directory of this machine`,
  );
}
