import { dirname } from 'node:path/posix';

/** A failed operation, as `user.svc.error` and `.svcfs/errors` show it. */
export interface Failure {
  /** The operation, by its system call's name. */
  readonly op: string;
  readonly path: string;
  readonly errno: string;
  /** What failed and what to do about it, for a person. */
  readonly text: string;
  readonly requestId: string | undefined;
  readonly atMs: number;
}

/** The last failure of each path; the oldest go first when there are too many. */
export class ErrorRegistry {
  readonly #limit: number;
  readonly #byPath = new Map<string, Failure>();
  /** Names that could not be looked up, and were not since: no program gets to what is below. */
  readonly #unreachable = new Set<string>();

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  record(failure: Failure): void {
    this.#byPath.delete(failure.path);
    this.#byPath.set(failure.path, failure);
    const [oldest] = this.#byPath.keys();
    if (this.#byPath.size > this.#limit && oldest !== undefined) this.#forget(oldest);
    if (failure.op === 'lookup') this.#unreachable.add(failure.path);
    else this.#unreachable.delete(failure.path);
  }

  /** A name was looked up, whether it is there or not. */
  lookedUp(path: () => string): void {
    if (this.#unreachable.size > 0) this.#unreachable.delete(path());
  }

  /**
   * The newest of a path, of the names in it (what could not be made has no other place to say why), and of the
   * directories on the way to it that cannot be looked up.
   */
  lastAt(path: string): Failure | undefined {
    return this.list().findLast(
      (failure) =>
        failure.path === path ||
        dirname(failure.path) === path ||
        (path.startsWith(`${failure.path}/`) && this.#unreachable.has(failure.path)),
    );
  }

  /** Oldest first. */
  list(): readonly Failure[] {
    return [...this.#byPath.values()];
  }

  #forget(path: string): void {
    this.#byPath.delete(path);
    this.#unreachable.delete(path);
  }
}
