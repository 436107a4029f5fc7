import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../lib/error-code.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { CliError } from './exit-codes.ts';
import { STATE_DIRECTORY_FAILS } from './make-own-directory.ts';

export interface LoggedProcess {
  /** For a person: "the mount process". */
  readonly name: string;
  /** Of Node.js. */
  readonly args: readonly string[];
  /** The file that the output is appended to. */
  readonly log: string;
  readonly stdio: (log: number) => StdioOptions;
  readonly env: NodeJS.ProcessEnv;
  /** Stay in the process group of this one. */
  readonly inGroup?: boolean;
}

/**
 * Starts a process of our own, in a session of its own. A terminal's Ctrl-C reaches the command, which decides.
 *
 * @throws CliError when its log cannot be written, or it cannot be started, as at a limit of processes
 */
export async function spawnLogged({
  name,
  args,
  log,
  stdio,
  env,
  inGroup,
}: LoggedProcess): Promise<ChildProcess> {
  const file = await openLog(log);
  try {
    const child = spawn(process.execPath, args, {
      detached: inGroup !== true,
      cwd: '/',
      stdio: stdio(file.fd),
      env,
    });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    const reason = `${plainReason(error)} (${process.execPath})`;
    throw new CliError('failure', `${name} cannot be started: ${reason}`, { cause: error });
  } finally {
    // Not waited for: the process may end meanwhile, unheard.
    void file.close();
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
/** No link leads the log into another file. */
const HOW = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;

async function openLog(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, HOW, 0o600);
    const { uid } = await file.stat();
    if (uid === (process.geteuid?.() ?? uid)) return file;
    await file.close();
    throw new CliError(
      'failure',
      `cannot write the log ${path}: it belongs to another user (${uid}); remove it`,
    );
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (errorCode(error) === 'ELOOP') {
      throw new CliError('failure', `cannot write the log ${path}: it is a symbolic link; remove it`, {
        cause: error,
      });
    }
    const { exit, remedy } = STATE_DIRECTORY_FAILS;
    throw new CliError(exit, `cannot write the log ${path}: ${plainReason(error)}; ${remedy}`, {
      cause: error,
    });
  }
}
