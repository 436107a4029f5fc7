import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where its output goes. */
  readonly log: string;
}

/** A server or mount that runs beside the measurement, and is ended by its process id. */
export class Child {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  static async start(command: string, args: readonly string[], options: ChildOptions): Promise<Child> {
    const log = await open(options.log, 'a');
    const child = spawn(command, [...args], {
      stdio: ['ignore', log.fd, log.fd],
      env: { ...process.env, ...options.env },
    });
    await log.close();
    return new Child(child);
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
    // One that is interrupted leaves none behind, nor what they have started.
    process.once('exit', this.#askToEnd);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it has ended by itself. */
  async exited(): Promise<void> {
    await this.#exited;
  }

  async end(): Promise<void> {
    process.off('exit', this.#askToEnd);
    if (!this.running) return;
    this.#askToEnd();
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#exited;
    clearTimeout(overdue);
  }

  readonly #askToEnd = (): void => void this.#child.kill('SIGTERM');
}
