/**
 * When a draft's bytes may be changed: one change after the other, and none of the bytes that a file is being made of. They
 * are sent in pieces, which must not be of two contents. Who would change one waits for the file; who appends does not.
 */
import { Mutex } from '../../lib/mutex.ts';
import { untilAborted } from '../../lib/until-aborted.ts';

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

  /** Changes bytes from `start` on when its turn comes. Who waits for a file has no turn: making it takes some. */
  async change<T>(start: number, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const turn = await this.#turns.run(async () => {
        const until = this.keptUntil(start);
        return until === undefined ? { result: await task() } : { until };
      }, signal);
      if ('result' in turn) return turn.result;
      await untilAborted(turn.until, signal);
    }
  }

  /** When bytes from `start` on may be changed, which a file is being made of; undefined: now. */
  keptUntil(start: number): Promise<void> | undefined {
    return this.#kept !== undefined && start < this.#kept.sizeBytes ? this.#kept.ended : undefined;
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
