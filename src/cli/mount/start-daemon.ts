import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { VARIABLES_WITH_PASSWORDS } from '../../config/network.ts';
import { isAutomounted } from '../../fuse/mount-table.ts';
import { CliError } from '../exit-codes.ts';
import { makeOwnDirectory, STATE_DIRECTORY_FAILS } from '../make-own-directory.ts';
import { DAEMON } from '../programs.ts';
import { requireOwnState } from '../require-own-state.ts';
import { spawnLogged } from '../spawn-logged.ts';
import { type DaemonReport, type DaemonWait, END, type MountSettings } from './daemon-messages.ts';
import { engineFlags } from './engine-flags.ts';

/** File system calls of the daemon (spool, journal) that may run side by side; libuv's default is 4. */
const THREAD_POOL_SIZE = '16';

/** The mount process, as the command that started it sees it. */
export interface Daemon {
  readonly pid: number;
  readonly username: string;
  /** Warnings of options that work less than was asked for. */
  readonly warnings: readonly string[];
  readonly metricsUrl: string | undefined;
  /** Whether it ended as it should. */
  readonly ended: Promise<boolean>;
  /** Tells it to finish and unmount; told twice, to unmount now. */
  end(): void;
  /** Lets this process end without it. */
  release(): void;
}

/**
 * Starts the mount process and waits until the mount is usable; rejects with a `CliError` that says why it is not.
 * `onWait` is told when the mount waits for the rate limit, and how long.
 */
export async function startDaemon(settings: MountSettings, onWait: (ms: number) => void): Promise<Daemon> {
  await makeOwnDirectory(settings.directory.root, STATE_DIRECTORY_FAILS);
  await requireOwnState(settings.directory);
  const { passed } = settings;
  const child = await spawnLogged({
    name: 'the mount process',
    args: [...engineFlags(process.versions.v8), DAEMON],
    log: settings.directory.log,
    // The last is PASSED_DEVICE.
    stdio: (log) => ['ignore', log, log, 'ipc', ...(passed === undefined ? [] : [passed.descriptor])],
    // A session of its own has a process group of its own, which autofs would not let pass to the directory.
    inGroup: await isAutomounted(settings.mountPoint),
    env: { ...withoutSecrets(process.env), UV_THREADPOOL_SIZE: THREAD_POOL_SIZE },
  });
  // The mount ends with the last process that has it.
  if (passed !== undefined) closeSync(passed.descriptor);
  const ended = new Promise<boolean>((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
  });
  // The end of a process that ends before it has them tells the rest.
  child.send(settings, () => undefined);
  const report = await reportOf(child, settings.directory.log, onWait);
  if (report.type === 'failed') {
    await ended;
    throw new CliError(report.exit, report.message);
  }
  return {
    pid: child.pid ?? 0,
    username: report.username,
    warnings: report.warnings,
    metricsUrl: report.metricsUrl,
    ended,
    // It may have ended meanwhile, and the channel with it.
    end: () => void (child.connected && child.send(END, () => undefined)),
    release: () => {
      if (child.connected) child.disconnect();
      child.unref();
    },
  };
}

/** The environment of a mount without secrets: ps shows it to its owner for months. The settings go over a channel. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secret = new Set(['SVC_AUTH_TOKEN', ...VARIABLES_WITH_PASSWORDS]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.has(name)));
}

function reportOf(child: ChildProcess, log: string, onWait: (ms: number) => void): Promise<DaemonReport> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      const told = message as DaemonReport | DaemonWait;
      if (told.type === 'waiting') onWait(told.ms);
      else resolve(told);
    });
    child.once('exit', (code, signal) => {
      const message = `the mount process ended (${signal ?? `exit ${code}`}); its log is ${log}`;
      resolve({ type: 'failed', exit: 'failure', message });
    });
  });
}
