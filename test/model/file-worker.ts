import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Operation } from './operations.ts';

const PROGRAM = fileURLToPath(new URL('file-worker.py', import.meta.url));

/** A process that carries out operations in a directory: it may hang there, and this one does not. */
export class FileWorker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #stderr = '';

  constructor(directory: string) {
    this.#child = spawn('python3', [PROGRAM, directory]);
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk;
    });
    // The pipe of a worker that died: the missing answer tells.
    this.#child.stdin.on('error', () => undefined);
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** The answer as the worker gives it (`file-worker.py`). */
  async do(operation: Operation): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(operation)}\n`);
    const answer = await this.#answers.next();
    if (answer.done) throw new Error(`the worker ended at ${JSON.stringify(operation)}: ${this.#stderr}`);
    return JSON.parse(answer.value);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(timer);
  }
}
