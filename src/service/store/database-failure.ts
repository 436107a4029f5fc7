/**
 * The state of the database by its error:
 *
 * - `full`: no space left; `busy`: another holds a lock for too long
 * - `conflict`: of two transactions at the same time one had to give way; done again it succeeds
 * - `taken`: a unique value exists already
 * - `dangling`: a new row refers to one that is not there, or not any more
 * - `unreachable`: the database, or the connection to it, is gone
 * - `unsynced`: the disk failed to keep a write; only a new process knows the contents
 */
export type DatabaseFailure =
  | 'full'
  | 'busy'
  | 'conflict'
  | 'taken'
  | 'dangling'
  | 'unreachable'
  | 'unsynced';

/** A failure of a database that is another process, or of its disk; the error that it or the system gave is the cause. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly failure: DatabaseFailure;

  constructor(failure: DatabaseFailure, cause: unknown) {
    super(`the database failed: ${failure}`, { cause });
    this.failure = failure;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;

/** Undefined for an error that is none of the database, and for one that is a mistake of ours, as in a statement. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  if (error instanceof DatabaseError) return error.failure;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return undefined;
  if (errcode === SQLITE_CONSTRAINT_UNIQUE || errcode === SQLITE_CONSTRAINT_PRIMARYKEY) return 'taken';
  if (errcode === SQLITE_CONSTRAINT_FOREIGNKEY) return 'dangling';
  // The low byte is the primary code, the rest says more.
  switch (errcode & 0xff) {
    case SQLITE_FULL:
      return 'full';
    case SQLITE_BUSY:
      return 'busy';
    default:
      return undefined;
  }
}

/** Whether what was to be changed may have been, for all that this process can tell. */
export function mayHaveChanged(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === 'unreachable' || failure === 'unsynced';
}

const PASSING: ReadonlySet<DatabaseFailure> = new Set(['busy', 'conflict', 'unreachable', 'unsynced']);

/** Whether the same may well succeed when it is done again later. */
export function isPassingFailure(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure !== undefined && PASSING.has(failure);
}
