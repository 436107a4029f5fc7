import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** Exit status when another has the lock: its default, 1, is that of wrong usage where the command is another's (BusyBox). */
const HELD = 75;
/** Of the command: its descriptors are the standard ones and the file. */
const FILE = 3;

/**
 * Locks a file, made if it is not there, for as long as the handle is open. The lock is flock(2), which ends with its
 * process however that ends; NFS takes it to its server (flock(2), "NFS details").
 *
 * Waits so many seconds; undefined: another process has it. Rejects where there are no locks. Node has no flock(2). The
 * command of util-linux locks the descriptor that is open here: both share the open file.
 */
export async function lockFile(path: string, waitSeconds: number): Promise<FileHandle | undefined> {
  const handle = await open(path, 'a', 0o600);
  const how = ['--exclusive', '--wait', String(waitSeconds), '--conflict-exit-code', String(HELD)];
  try {
    const child = spawn('flock', [...how, String(FILE)], { stdio: ['ignore', 'ignore', 'pipe', handle.fd] });
    const [said, [code]] = await Promise.all([child.stderr && text(child.stderr), once(child, 'close')]);
    if (code === 0) return handle;
    if (code !== HELD) throw new Error(`${path}: ${said?.trim()}`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}
