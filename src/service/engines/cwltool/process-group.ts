/**
 * A program that runs with all its children in a process group of its own. The group ends with this process however that
 * ends: a shell watches a pipe from here. It kills the group when the other end of the pipe is gone, as after `kill -9`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/**
 * `cat` waits for the pipe to close; nothing is ever written to it. A trap, unlike an ignored signal, is not passed on to the
 * program, so SIGTERM ends the program and the shell tells how it ended.
 */
const WATCHING_SHELL = `
ulimit -c 0
trap : TERM
exec 3<&0 </dev/null
(cat <&3; kill -KILL 0) >/dev/null 2>&1 3<&3 &
watch=$!
"$@" 3<&-
status=$?
kill -KILL $watch 2>/dev/null
exit $status`;

const PATIENCE_MS = 5_000;
/** As shells say it of a program that a signal ended. */
const KILLED = 128;

export interface GroupOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;

  constructor(command: readonly string[], { cwd, env }: GroupOptions) {
    this.#child = spawn('/bin/sh', ['-c', WATCHING_SHELL, 'sh', ...command], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#ended = this.#end();
    this.#ended.catch(() => undefined);
  }

  get id(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): Readable {
    return this.#stream('stdout');
  }

  get stderr(): Readable {
    return this.#stream('stderr');
  }

  /** Resolves with the exit status when no process of the group is left; rejects when there is no shell. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  /** Asks the program to end, and after some time makes it; at once when that is 0. */
  async stop(graceMs: number): Promise<void> {
    this.#signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    const overdue = setTimeout(() => this.#signal('SIGKILL'), graceMs);
    await this.#ended.catch(() => undefined);
    clearTimeout(overdue);
  }

  async #end(): Promise<number> {
    const [code, signal] = await once(this.#child, 'exit');
    // Processes that the program left running.
    this.#signal('SIGKILL');
    await this.#readToTheEnd();
    return signal === null ? code : KILLED;
  }

  /** The program's output ends with the program, unless a process that left the group holds on to the pipe. */
  async #readToTheEnd(): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const ends = [this.stdout, this.stderr].filter((stream) => !stream.closed);
    await Promise.all(
      ends.map((stream) => once(stream, 'close', { signal: patience }).catch(() => stream.destroy())),
    );
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  #stream(name: 'stdout' | 'stderr'): Readable {
    const stream = this.#child[name];
    if (stream === null) throw new Error(`the process has no ${name}`);
    return stream;
  }
}
