/** More threads that copy side by side are not told apart: one then costs a link that nobody uses. */
const MOST = 100;

/**
 * Threads whose last file was copied by the platform. The next one that such a thread opens to read is likely to be copied
 * as well (`cp -r`): its bytes are not asked for ahead.
 */
export class Copiers {
  readonly #threads = new Set<number>();

  copied(thread: number): void {
    const [oldest] = this.#threads;
    if (this.#threads.size >= MOST && oldest !== undefined) this.#threads.delete(oldest);
    this.#threads.add(thread);
  }

  /** Whether the thread's last file was copied. It is asked once for each file. */
  takes(thread: number): boolean {
    return this.#threads.delete(thread);
  }
}
