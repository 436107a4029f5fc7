import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { MountError } from './mount-error.ts';

/** umount(8) of util-linux. */
const UMOUNT = 'umount';

/**
 * Unmounts with the rights of this process, and without the helper of svcfs, which may be what asks for it.
 *
 * In a process of its own, not by umount2(2) here: the kernel writes dirty mapped pages back to the server of a mount before an
 * unmount returns, and when that is this thread it has to answer.
 */
export async function unmountDirectly(mountPoint: string): Promise<void> {
  const child = spawn(UMOUNT, ['-i', '--', mountPoint], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // It tells why only in words, which are those of the locale.
    env: { ...process.env, LC_ALL: 'C' },
    cwd: '/',
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return;
  const kind = /busy/.test(stderr) ? 'busy' : 'other';
  throw new MountError(kind, `${mountPoint}: ${stderr.trim()}`);
}
