import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CliError } from '../exit-codes.ts';
import { makeOwnDirectory, STATE_DIRECTORY_FAILS } from '../make-own-directory.ts';
import type { DaemonReport, DaemonWait, MountSettings } from './daemon-messages.ts';
import { engineFlags } from './engine-flags.ts';

const DAEMON = fileURLToPath(new URL('../daemon.js', import.meta.url));

/** File system calls of the daemon (spool, journal) that may run side by side; libuv's default is 4. */
const THREAD_POOL_SIZE = '16';

/** The mount process, as the command that started it sees it. */
export interface Daemon {
  readonly pid: number;
  readonly username: string;
  /** What works less than was asked for. */
  readonly warnings: readonly string[];
  /** Whether it ended as it should. */
  readonly ended: Promise<boolean>;
  /** SIGTERM: finish and unmount. Sent twice: unmount now. */
  signal(): void;
  /** Lets this process end without it. */
  release(): void;
}

/**
 * Starts the mount process and waits until the mount is usable; rejects with a `CliError` that says why it is not.
 * `onWait` is told when the mount waits for the rate limit, and how long.
 */
export async function startDaemon(settings: MountSettings, onWait: (ms: number) => void): Promise<Daemon> {
  await makeOwnDirectory(settings.directory.root, STATE_DIRECTORY_FAILS);
  const log = await open(settings.directory.log, 'a', 0o600);
  const flags = engineFlags(process.versions.v8);
  const child = spawn(process.execPath, [...flags, DAEMON], {
    // A session of its own: a terminal's Ctrl-C reaches the command, which decides.
    detached: true,
    cwd: '/',
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    env: { ...process.env, SVC_AUTH_TOKEN: undefined, UV_THREADPOOL_SIZE: THREAD_POOL_SIZE },
  });
  await log.close();
  const ended = once(child, 'exit').then(([code]) => code === 0);
  child.send(settings);
  const report = await reportOf(child, settings.directory.log, onWait);
  if (report.type === 'failed') {
    await ended;
    throw new CliError(report.exit, report.message);
  }
  return {
    pid: child.pid ?? 0,
    username: report.username,
    warnings: report.warnings,
    ended,
    signal: () => child.kill('SIGTERM'),
    release: () => {
      if (child.connected) child.disconnect();
      child.unref();
    },
  };
}

function reportOf(child: ChildProcess, log: string, onWait: (ms: number) => void): Promise<DaemonReport> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      const told = message as DaemonReport | DaemonWait;
      if (told.type === 'waiting') onWait(told.ms);
      else resolve(told);
    });
    child.once('error', (error) => resolve({ type: 'failed', exit: 'failure', message: error.message }));
    child.once('exit', (code, signal) => {
      const message = `the mount process ended (${signal ?? `exit ${code}`}); its log is ${log}`;
      resolve({ type: 'failed', exit: 'failure', message });
    });
  });
}
