import { messageOf } from '../../lib/message-of.ts';

/** The failure at one of many paths. */
export interface PathFailure {
  /** From the top of the mount, if it is in one. */
  readonly path: string;
  readonly reason: string;
}

/** The paths that failed while the others went on. */
export interface FailedPaths {
  /** The first ones. */
  readonly failures: readonly PathFailure[];
  readonly failed: number;
}

const FAILURES_TOLD = 100;

/** Collects what failed while the others go on. */
export class PathFailures implements FailedPaths {
  readonly #failures: PathFailure[] = [];
  #failed = 0;

  get failures(): readonly PathFailure[] {
    return this.#failures;
  }

  get failed(): number {
    return this.#failed;
  }

  add(path: string, error: unknown): void {
    this.#failed += 1;
    if (this.#failures.length >= FAILURES_TOLD) return;
    this.#failures.push({ path, reason: messageOf(error) });
  }
}
