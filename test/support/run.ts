import { spawn } from 'node:child_process';

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Added to this process's environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** Default 60 s; the child is killed then and the promise rejects. */
  readonly timeoutMs?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Nobody reads what it prints: for commands that are timed, whose reader would need a processor as well. */
  readonly discardOutput?: boolean;
}

/** Runs a program to its end. Never synchronous: the mount it touches may be served by a child of this process. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const { cwd, uid, gid } = options;
    const child = spawn(command, [...args], {
      stdio: ['pipe', options.discardOutput ? 'ignore' : 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const timeoutMs = options.timeoutMs ?? 60_000;
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `${command} ${args.join(' ')}: still running after ${timeoutMs} ms\n${text(stdout)}${text(stderr)}`,
        ),
      );
    }, timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: text(stdout), stderr: text(stderr) });
    });
    // A program that does not read its input closes the pipe: not an error of the test.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

/** Like `run`, and throws unless the program exits with 0. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    throw new Error(
      `${command} ${args.join(' ')}: exit ${result.code ?? result.signal}\n${result.stdout}${result.stderr}`,
    );
  }
  return result.stdout;
}

/** `sh -c SCRIPT` in a directory, by `mustRun`. */
export function shell(script: string, options: RunOptions = {}): Promise<string> {
  return mustRun('bash', ['-euo', 'pipefail', '-c', script], options);
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
