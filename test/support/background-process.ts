import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from './wait-until.ts';

/** A program that runs beside the test. */
export class BackgroundProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<number | NodeJS.Signals>;
  stdout = '';
  stderr = '';

  constructor(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> = {},
  ) {
    this.#child = spawn(command, [...args], { env: { ...process.env, ...env } });
    this.#child.stdin.end();
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    this.#exited = once(this.#child, 'close').then(([code, signal]) => code ?? signal);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits for text on stdout and answers the match; throws with stderr when the program ends without. */
  async says(pattern: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    await waitUntil(() => pattern.test(this.stdout) || !this.running, {
      what: `${pattern} on stdout`,
      timeoutMs,
    });
    const match = pattern.exec(this.stdout);
    if (match === null) throw new Error(`ended without saying ${pattern}:\n${this.stdout}${this.stderr}`);
    return match;
  }

  /** As `head` does when it has its lines: the program cannot write there any more. */
  closeStdout(): void {
    this.#child.stdout.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Exit code, or the signal that ended it. */
  exited(): Promise<number | NodeJS.Signals> {
    return this.#exited;
  }

  /** SIGTERM, and SIGKILL when that does not end it. */
  async end(graceMs = 10_000): Promise<void> {
    if (!this.running) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    await this.#exited;
    clearTimeout(timer);
  }
}
