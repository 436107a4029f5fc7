import { dirname } from 'node:path/posix';

/** A failed operation, as `user.svc.error` and `.svcfs/errors` show it. */
export interface Failure {
  /** The operation, by its system call's name. */
  readonly op: string;
  /** The attribute that it was about. */
  readonly attribute?: string | undefined;
  /** The access that an open asked for. */
  readonly access?: 'read' | 'write' | undefined;
  readonly path: string;
  /** The other name that it was about: the new one of a rename. */
  readonly target?: string | undefined;
  readonly errno: string;
  /** The failure and its remedy, for a person. */
  readonly text: string;
  readonly requestId: string | undefined;
  readonly atMs: number;
}

export interface EndedFailures {
  readonly ops: readonly string[] | 'all';
  readonly attribute?: string | undefined;
  /** Undefined: any. */
  readonly access?: 'read' | 'write' | undefined;
  readonly mark: number;
}

/** The last failure of each path; the oldest go first when there are too many. */
export class ErrorRegistry {
  readonly #limit: number;
  readonly #byPath = new Map<string, Failure>();
  /** Names that could not be looked up, and were not since: no program gets to what is below. */
  readonly #unreachable = new Set<string>();
  /** By the other name that they were about: the last one of each, until something else has happened to the name. */
  readonly #byTarget = new Map<string, Failure>();
  /** When each was recorded, counted in failures: how old it is does not tell, for clocks stand still. */
  readonly #recordedAt = new Map<Failure, number>();
  #recorded = 0;

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  record(failure: Failure): void {
    this.#forget(failure.path);
    this.#byPath.set(failure.path, failure);
    if (failure.target !== undefined) this.#byTarget.set(failure.target, failure);
    this.#recorded += 1;
    this.#recordedAt.set(failure, this.#recorded);
    const [oldest] = this.#byPath.keys();
    if (this.#byPath.size > this.#limit && oldest !== undefined) this.#forget(oldest);
    if (failure.op === 'lookup') this.#unreachable.add(failure.path);
    else this.#unreachable.delete(failure.path);
  }

  /** To be asked for when an operation begins: its success ends no failure that comes after. */
  get mark(): number {
    return this.#recorded;
  }

  get isEmpty(): boolean {
    return this.#byPath.size === 0;
  }

  /**
   * Ends the failures at a path that were recorded before the `mark` and belong to these operations; `all`: those below
   * it, too.
   */
  ended(path: string, { ops, attribute, access, mark }: EndedFailures): void {
    const isAmong = ({ op, attribute: its, access: had }: Failure): boolean =>
      ops === 'all' || (ops.includes(op) && its === attribute && (access ?? had) === (had ?? access));
    const isEnded = (failure: Failure): boolean =>
      (this.#recordedAt.get(failure) ?? 0) <= mark && isAmong(failure);
    const failure = this.#byPath.get(path);
    if (failure && isEnded(failure)) this.#forget(path);
    if (ops !== 'all') return;
    const toThis = this.#byTarget.get(path);
    if (toThis && isEnded(toThis)) this.#byTarget.delete(path);
    for (const below of this.list())
      if (below.path.startsWith(`${path}/`) && isEnded(below)) this.#forget(below.path);
  }

  /** A name was looked up, whether it is there or not. */
  lookedUp(path: () => string): void {
    if (this.#unreachable.size > 0) this.#unreachable.delete(path());
  }

  /**
   * The newest failure of a path, of the names in it, and of the directories on the way to it that cannot be looked up.
   * An entry that could not be made has no other place to say why. A rename is told at both names.
   */
  lastAt(path: string): Failure | undefined {
    const isHere = (at: string): boolean => at === path || dirname(at) === path;
    return this.list().findLast(
      (failure) =>
        isHere(failure.path) ||
        (failure.target !== undefined &&
          isHere(failure.target) &&
          this.#byTarget.get(failure.target) === failure) ||
        (path.startsWith(`${failure.path}/`) && this.#unreachable.has(failure.path)),
    );
  }

  /** Oldest first. */
  list(): readonly Failure[] {
    return [...this.#byPath.values()];
  }

  #forget(path: string): void {
    const failure = this.#byPath.get(path);
    if (failure) this.#recordedAt.delete(failure);
    if (failure?.target !== undefined && this.#byTarget.get(failure.target) === failure)
      this.#byTarget.delete(failure.target);
    this.#byPath.delete(path);
    this.#unreachable.delete(path);
  }
}
