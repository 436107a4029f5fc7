import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The process that takes the mount out of the tree should this one be killed. */
export interface Watchdog {
  /** From here on it detaches only this mount (by the minor number of its st_dev). */
  watch(deviceMinor: number): void;
  /** Ends it: the mount ended as it should. Returns when no process is left. */
  dismiss(): Promise<void>;
}

/** Must be started before mounting: it may hold nothing of the mount. `onLost` is called when it ends by itself. */
export function startWatchdog(mountPoint: string, onLost: () => void): Watchdog {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../watchdog.js', import.meta.url)), mountPoint],
    {
      // Not in our session: what kills our process group must leave it.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  child.stdin.on('error', () => undefined);
  child.once('error', onLost);
  child.once('exit', onLost);
  child.unref();
  return {
    watch: (deviceMinor) => child.stdin.write(`watch ${deviceMinor}\n`),
    dismiss: async () => {
      child.removeAllListeners('exit');
      // It is deaf to other signals, and may not even have begun to listen to its standard input.
      if (!child.kill('SIGKILL')) return;
      child.ref();
      await once(child, 'exit');
    },
  };
}
