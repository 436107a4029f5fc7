import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from './wait-until.ts';

/** A program on a terminal of its own, which script(1) makes, and a person who types. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = '';

  /** `command` is for a shell. */
  constructor(command: string, env: Readonly<Record<string, string | undefined>> = {}, columns = 80) {
    this.#child = spawn('script', ['-qfec', `stty cols ${columns} rows 40; exec ${command}`, '/dev/null'], {
      env: { ...process.env, ...env },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#shown += chunk;
    });
  }

  /** Keys, of which `\t` is TAB and `\r` is ENTER. What was shown before counts no more. */
  type(keys: string): void {
    this.#shown = '';
    this.#child.stdin.write(keys);
  }

  /** Waits until the terminal shows it, and answers all that it shows. */
  async shows(pattern: RegExp): Promise<string> {
    try {
      await waitUntil(() => pattern.test(this.#shown), { what: `${pattern}`, timeoutMs: 30_000 });
      return this.#shown;
    } catch (error) {
      throw new Error(`the terminal shows ${JSON.stringify(this.#shown)}`, { cause: error });
    }
  }

  /** The program is over. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }
}
