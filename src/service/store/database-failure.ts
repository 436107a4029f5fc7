const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** What an error thrown by the database says of its state; undefined for any other error. */
export function databaseFailure(error: unknown): 'full' | 'busy' | undefined {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return undefined;
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
