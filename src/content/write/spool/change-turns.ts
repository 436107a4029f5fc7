/**
 * When a draft's bytes may be changed: one change after the other. The bytes that a file is being made of do not change:
 * they are sent in pieces, which must not mix two contents. A writer that would change one waits for the file; an append
 * does not wait.
 */
import { Mutex } from '../../../lib/mutex.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';

/** The first bytes of a draft, until a file was made of them or could not be. */
interface Kept {
  readonly sizeBytes: number;
  readonly ended: Promise<void>;
}

export class ChangeTurns {
  readonly #turns = new Mutex();
  #kept: Kept | undefined;

  /** Does what leaves the bytes as they are when its turn comes. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.run(task, signal);
  }

  /**
   * Changes bytes from `start` on when its turn comes. A writer that waits for a file holds no turn: making the file
   * takes some.
   */
  async change<T>(start: number, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const turn = await this.#turns.run(async () => {
        return this.#keptFrom(start) === undefined ? { result: await task() } : undefined;
      }, signal);
      if (turn !== undefined) return turn.result;
      await this.#whileKept(start, signal);
    }
  }

  /** Waits until no file is being made of bytes from `start` on. */
  async #whileKept(start: number, signal: AbortSignal): Promise<void> {
    for (let kept = this.#keptFrom(start); kept !== undefined; kept = this.#keptFrom(start))
      await untilAborted(kept.ended, signal);
  }

  #keptFrom(start: number): Kept | undefined {
    return this.#kept !== undefined && start < this.#kept.sizeBytes ? this.#kept : undefined;
  }

  /** Has `make` begin between two changes; until it ends, the bytes that there are then stay as they are. */
  async keep<T>(sizeBytes: () => number, make: () => Promise<T>): Promise<T> {
    const { made } = await this.#turns.run(async () => {
      const begun = make();
      const end = (): void => {
        this.#kept = undefined;
      };
      this.#kept = { sizeBytes: sizeBytes(), ended: begun.then(end, end) };
      return { made: begun };
    });
    return made;
  }
}
