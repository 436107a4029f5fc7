import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WATCHDOG } from '../programs.ts';
import type { MountSettings } from './daemon-messages.ts';

/** The process that takes the mount out of the tree should this one be killed. */
export interface Watchdog {
  /** From here on it detaches only this mount (by the minor number of its st_dev). */
  watch(deviceMinor: number): void;
  /** Ends it: the mount ended as it should. Returns when no process is left. */
  dismiss(): Promise<void>;
}

/** Of a mount that is another process's to take away. */
export const NO_WATCHDOG: Watchdog = { watch: () => undefined, dismiss: () => Promise.resolve() };

/**
 * A shell waits for the end of this process, and becomes Node.js only then: as long as the mount lives, the shell takes a
 * fortieth of the memory. Two things tell it of the end:
 *
 * - Its standard input, a pipe from this process, ends. A killed process may become a zombie, though, of which the kernel
 *   keeps a thread that writes to /dev/fuse and waits for a lock. All descriptors of the process then stay open.
 * - SIGURG comes when the thread that started the shell is dead, which is the main one (PR_SET_PDEATHSIG). A pidfd would
 *   tell only when the last thread is gone (PIDFD_THREAD is of Linux 6.9), and no shell can wait for one.
 *
 * Nothing else ends it: a signal to everything of a terminal or service must not take both processes away. Programs
 * ignore SIGURG unless they ask for it. Node.js ignores it as well, and gets another when the zombie's last thread is
 * gone.
 */
const BECOME = 'exec "$@" "$watched"';
const WAIT = `trap '' INT TERM HUP; trap '${BECOME}' URG; while read -r minor; do watched=$minor; done; ${BECOME}`;
/** setpriv(1) of util-linux is older than that option, or is of BusyBox: then the pipe alone has to do. */
const WATCH = `for told in 'setpriv --pdeathsig URG --' ''; do $told true 2>/dev/null && exec $told /bin/sh -c "$0" "$@"; done`;

/** Must be started before mounting: it may hold nothing of the mount. `onLost` is called when it ends by itself. */
export function startWatchdog(
  { mountPoint, directory: { root } }: Pick<MountSettings, 'mountPoint' | 'directory'>,
  onLost: () => void,
): Watchdog {
  const command = [process.execPath, WATCHDOG, mountPoint, root];
  const child = spawn('/bin/sh', ['-c', WATCH, WAIT, 'svcfs-watchdog', ...command], {
    // Not in our session: what kills our process group must leave it.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  child.once('error', onLost);
  child.once('exit', onLost);
  child.unref();
  return {
    watch: (deviceMinor) => child.stdin.write(`${deviceMinor}\n`),
    dismiss: async () => {
      child.removeAllListeners('exit');
      // It is deaf to other signals.
      if (!child.kill('SIGKILL')) return;
      child.ref();
      await once(child, 'exit');
    },
  };
}
