import type { FileRecord } from '../../api/model.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errno-of.ts';
import type { Tree } from '../tree.ts';

/** Between tries. */
const RETRY = { baseMs: 1000, capMs: 60_000 };

interface Removal {
  readonly file: FileRecord;
  readonly whenGone: () => Promise<void>;
}

/**
 * Takes files out of the staging folder. Nobody's work fails because one cannot be removed now: the log tells, and it is
 * tried again as long as the mount lives.
 */
export class StagedRemovals {
  readonly #tree: Tree;
  readonly #waiting = new Set<Removal>();
  readonly #end = sharedAbortController();

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Waits for the first try only, and never rejects. */
  async remove(file: FileRecord, whenGone: () => Promise<void>): Promise<void> {
    const removal = { file, whenGone };
    if (await this.#isDone(removal)) return;
    this.#waiting.add(removal);
    if (this.#waiting.size === 1) void this.#tryOn();
  }

  /** Tries once more, now. Never rejects. */
  async tryAll(): Promise<void> {
    const tries = [...this.#waiting].map(async (removal) => {
      if (await this.#isDone(removal)) this.#waiting.delete(removal);
    });
    await Promise.all(tries);
  }

  /** Tries no more. */
  close(): void {
    this.#end.abort();
  }

  async #tryOn(): Promise<void> {
    const { clock } = this.#tree;
    for (let failures = 0; this.#waiting.size > 0; failures += 1) {
      await clock.sleep(backoffMs(failures, RETRY), this.#end.signal).catch(() => undefined);
      if (this.#end.signal.aborted) return;
      await this.tryAll();
    }
  }

  async #isDone({ file, whenGone }: Removal): Promise<boolean> {
    try {
      await this.#delete(file);
      await whenGone();
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#tree.log.warn({ file: file.name, project: file.project, reason }, 'staged file not removed yet');
      return false;
    }
  }

  /** Someone else may have deleted it. */
  async #delete(file: FileRecord): Promise<void> {
    try {
      await this.#tree.api.files.delete(file.id);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}
