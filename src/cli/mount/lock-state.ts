import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MountDirectory } from '../../config/directories.ts';
import { errorCode } from '../../lib/error-code.ts';
import { lockFile } from '../../lib/lock-file.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import type { Logger } from '../../observe/logger.ts';
import { CliError } from '../exit-codes.ts';
import { STATE_DIRECTORY_FAILS } from '../make-own-directory.ts';
import { lingeringHolder, removeHolder, writeHolder } from './lock-holder.ts';

/** A process that was killed, or has just unmounted, is gone by then. */
const WAIT_SECONDS = 2;
/** For those before us, each of which waits that long. */
const TURN_SECONDS = 5 * WAIT_SECONDS;

export interface StateLock {
  unlock(): Promise<void>;
}

export interface TakenLock extends StateLock {
  /** Taken from a process that has ended and still has all open, its control socket as well. */
  readonly wasTaken: boolean;
}

interface Held {
  readonly handle: FileHandle;
  readonly wasTaken: boolean;
}

/**
 * Keeps others from what a mount point has on disk: two processes with one journal would publish each other's files and
 * remove each other's spools. The control socket does not tell of a process on another machine, whose home directory this may be.
 */
export async function lockState(
  { root }: MountDirectory,
  log: Logger,
  { mounts = true }: { readonly mounts?: boolean } = {},
): Promise<TakenLock> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  let held: Held | undefined;
  try {
    held = await inTurn(root, () => take(root, mounts));
  } catch (err) {
    if (!hasNoLocks(err)) throw failure(root, err);
    log.warn({ err }, 'nothing can be locked here: no other machine that shares this directory may mount');
    await writeHolder(root, { mounts });
    return { wasTaken: false, unlock: () => removeHolder(root) };
  }
  if (held === undefined) {
    throw new CliError(
      'alreadyMounted',
      `another svcfs process serves this mount point, here or on a machine that shares ${root}: unmount it there, or set XDG_STATE_HOME to a directory of this machine`,
    );
  }
  const { handle, wasTaken } = held;
  if (wasTaken) log.warn({}, 'the lock was taken from a process that was killed and does not end');
  return {
    wasTaken,
    unlock: async () => {
      await removeHolder(root);
      await handle.close();
    },
  };
}

/** `flock` said so, or is not there. Any other failure, as of a full disk, says nothing of whether another has the lock. */
function hasNoLocks(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || (code === 'ENOENT' && error instanceof Error && 'spawnargs' in error);
}

function failure(root: string, error: unknown): CliError {
  const { exit, remedy } = STATE_DIRECTORY_FAILS;
  return new CliError(exit, `cannot lock ${root}: ${plainReason(error)}; ${remedy}`, { cause: error });
}

/**
 * Has one process at a time take the lock. Another could wait for the file that this one replaces: it would get the lock of a
 * file that nobody else finds any more as soon as the killed process ends. Undefined when the turn does not come.
 */
async function inTurn(root: string, work: () => Promise<Held | undefined>): Promise<Held | undefined> {
  const turn = await lockFile(join(root, 'lock-turn'), TURN_SECONDS);
  try {
    return turn && (await work());
  } finally {
    await turn?.close();
  }
}

async function take(root: string, mounts: boolean): Promise<Held | undefined> {
  const path = join(root, 'lock');
  let handle = await lockFile(path, WAIT_SECONDS);
  const wasTaken = handle === undefined;
  if (handle === undefined) {
    // It can do nothing any more, and keeps the file that it locked: we lock a new one.
    if ((await lingeringHolder(root)) === undefined) return undefined;
    await rm(path, { force: true });
    handle = await lockFile(path, WAIT_SECONDS);
  }
  if (handle === undefined) return undefined;
  await writeHolder(root, { mounts });
  return { handle, wasTaken };
}
