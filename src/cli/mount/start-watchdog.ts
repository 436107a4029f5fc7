import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MountSettings } from './daemon-messages.ts';

/** The process that takes the mount out of the tree should this one be killed. */
export interface Watchdog {
  /** From here on it detaches only this mount (by the minor number of its st_dev). */
  watch(deviceMinor: number): void;
  /** Ends it: the mount ended as it should. Returns when no process is left. */
  dismiss(): Promise<void>;
}

/**
 * A shell waits for the end of its standard input, a pipe from this process, and becomes Node.js only then: as long as the
 * mount lives, it takes a fortieth of the memory. This process ends it by the pipe alone: a signal to everything of a
 * terminal or service must not take both away.
 */
const WAIT = `trap '' INT TERM HUP; while read -r minor; do watched=$minor; done; exec "$@" "$watched"`;
const SCRIPT = fileURLToPath(new URL('../watchdog.js', import.meta.url));

/** Must be started before mounting: it may hold nothing of the mount. `onLost` is called when it ends by itself. */
export function startWatchdog(
  { mountPoint, directory: { socket } }: Pick<MountSettings, 'mountPoint' | 'directory'>,
  onLost: () => void,
): Watchdog {
  const command = [process.execPath, SCRIPT, mountPoint, socket];
  const child = spawn('/bin/sh', ['-c', WAIT, 'svcfs-watchdog', ...command], {
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
