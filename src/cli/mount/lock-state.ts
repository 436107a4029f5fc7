import { type FileHandle, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MountDirectory } from '../../config/directories.ts';
import { lockFile } from '../../lib/lock-file.ts';
import type { ProcessIdentity } from '../../lib/process-identity.ts';
import type { Logger } from '../../observe/logger.ts';
import { CliError } from '../exit-codes.ts';
import { lingeringHolder, removeHolder, writeHolder } from './lock-holder.ts';

/** A process that was killed, or has just unmounted, is gone by then. */
const WAIT_SECONDS = 2;

export interface StateLock {
  unlock(): Promise<void>;
}

export interface TakenLock extends StateLock {
  /** Taken from a process that has ended and still has all open, its control socket as well. */
  readonly wasTaken: boolean;
}

/**
 * Keeps others from what a mount point has on disk: two processes with one journal would publish each other's files and
 * remove each other's spools. The control socket does not tell of a process on another machine, whose home directory this may be.
 */
export async function lockState({ root }: MountDirectory, log: Logger): Promise<TakenLock> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = join(root, 'lock');
  let handle: FileHandle | undefined;
  let wasTaken = false;
  try {
    handle = await lockFile(path, WAIT_SECONDS);
    if (handle === undefined) {
      handle = await takeFromLingering(root, path);
      wasTaken = handle !== undefined;
    }
  } catch (err) {
    log.warn({ err }, 'nothing can be locked here: no other machine that shares this directory may mount');
    await writeHolder(root);
    return { wasTaken: false, unlock: () => removeHolder(root) };
  }
  if (handle === undefined) {
    throw new CliError(
      'alreadyMounted',
      `another svcfs process serves this mount point, here or on a machine that shares ${root}: unmount it there, or set XDG_STATE_HOME to a directory of this machine`,
    );
  }
  if (wasTaken) log.warn({}, 'the lock was taken from a process that was killed and does not end');
  await writeHolder(root);
  const locked = handle;
  return {
    wasTaken,
    unlock: async () => {
      await removeHolder(root);
      await locked.close();
    },
  };
}

/**
 * Locks a new file in the place of one that a killed process keeps locked, which can do nothing any more. Undefined when the
 * lock is not held by such a process, or when another process was first.
 */
async function takeFromLingering(root: string, path: string): Promise<FileHandle | undefined> {
  const holder = await lingeringHolder(root);
  if (holder === undefined) return undefined;
  const claim = `${path}-of-${holder.pid}-${holder.startTicks}`;
  if (!(await makeClaim(claim, holder))) return undefined;
  try {
    // Another process may have taken it, and removed its claim, since we looked.
    if ((await lingeringHolder(root))?.pid !== holder.pid) return undefined;
    await rm(path, { force: true });
    const handle = await lockFile(path, WAIT_SECONDS);
    if (handle !== undefined) await writeHolder(root);
    return handle;
  } finally {
    await rm(claim, { force: true });
  }
}

/** Only one process may ever take the place of another. */
async function makeClaim(path: string, holder: ProcessIdentity): Promise<boolean> {
  try {
    await writeFile(path, `${holder.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
