/** One who waits, and the process group of the program for which it does. */
export interface Waits {
  readonly group: number;
}

/**
 * A queue in which programs take turns, each with one of those that wait for it. So a program that waits for one answer is
 * served after one of each other program, however many the others wait for.
 */
export class FairQueue<W extends Waits> {
  /** By program. The turn of the first comes next. */
  readonly #lines = new Map<number, Set<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiter: W): void {
    const line = this.#lines.get(waiter.group) ?? new Set();
    line.add(waiter);
    this.#size += 1;
    this.#lines.set(waiter.group, line);
  }

  /** Whether it waited here. */
  delete(waiter: W): boolean {
    const line = this.#lines.get(waiter.group);
    if (!line?.delete(waiter)) return false;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(waiter.group);
    return true;
  }

  /** The next in turn of those that may go. It waits no more, and its program has had its turn. */
  take(mayGo: (waiter: W) => boolean): W | undefined {
    for (const [program, line] of this.#lines) {
      for (const waiter of line) {
        if (!mayGo(waiter)) continue;
        this.delete(waiter);
        if (line.size > 0) {
          this.#lines.delete(program);
          this.#lines.set(program, line);
        }
        return waiter;
      }
    }
    return undefined;
  }

  /** All that wait, in the order in which they go while all of them may. */
  *inOrder(): IterableIterator<W> {
    let lines = [...this.#lines.values()].map((line) => line.values());
    while (lines.length > 0) {
      const going: typeof lines = [];
      for (const line of lines) {
        const next = line.next();
        if (next.done === true) continue;
        yield next.value;
        going.push(line);
      }
      lines = going;
    }
  }
}
