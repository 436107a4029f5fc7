/**
 * The limits of a tool on this machine, by bubblewrap (bwrap(1)). It can read everything, and write only to the
 * directory of its run. The data of the service, the home of its user and the sockets of the machine are hidden. Its
 * processes see only each other, and end with the first of them. There is no network unless it is allowed.
 *
 * Without it, every user who may run a task may read all that the service can: its database, its keys, everybody's
 * files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';

export interface SandboxOptions {
  /** The directory of the run. */
  readonly directory: string;
  /** Directories that are to look empty, and files that are not to be read. */
  readonly hidden: readonly string[];
  /** Sockets that are to be there all the same. */
  readonly sockets: readonly string[];
  readonly network: boolean;
}

/** Where names are looked up is told below `/run` on many machines. */
const RESOLVER = '/run/systemd/resolve';

/** The words to put before a command. */
export async function sandbox(options: SandboxOptions): Promise<readonly string[]> {
  const { directory, hidden, sockets, network } = options;
  const covers = await Promise.all(['/tmp', '/run', homedir(), ...hidden].map(cover));
  return [
    'bwrap',
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...covers.flat(),
    ...['--bind', directory, directory, '--chdir', directory],
    // Expressions in apps need it, and it may lie in a home.
    ...['--ro-bind', process.execPath, process.execPath],
    ...sockets.flatMap((path) => ['--bind', path, path]),
    ...(network ? ['--ro-bind-try', RESOLVER, RESOLVER] : ['--unshare-net']),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL', '--die-with-parent', '--'],
  ];
}

/** Hides what is there: an account of a service often has no home, and nothing can be laid over a link. */
async function cover(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => '/');
  if (real === '/') return [];
  return (await stat(real)).isDirectory() ? ['--tmpfs', real] : ['--ro-bind', '/dev/null', real];
}

/** Whether this machine lets this user make one. */
export async function canSandbox(): Promise<boolean> {
  const [program = '', ...args] = await sandbox({
    directory: '/var/tmp',
    hidden: [],
    sockets: [],
    network: false,
  });
  const child = spawn(program, [...args, 'true'], { stdio: 'ignore' });
  const [status] = await once(child, 'exit').catch(() => [undefined]);
  return status === 0;
}
