import type { DatabaseFailure } from './database-failure.ts';

/** Of an error thrown by `pg`, as `databaseFailure` does. Codes: PostgreSQL manual, appendix A. */
export function postgresFailure(error: unknown): DatabaseFailure | undefined {
  const { severity, code } = error as { severity?: unknown; code?: unknown };
  // Only the server gives a severity: anything else happened on the way to it.
  if (typeof severity !== 'string' || typeof code !== 'string') return 'unreachable';
  switch (code) {
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
      return 'conflict';
    case '23503': // foreign_key_violation
      return 'dangling';
    case '23505': // unique_violation
      return 'taken';
    case '53100': // disk_full
      return 'full';
    case '55P03': // lock_not_available
    case '57014': // query_canceled, by a timeout
    case '53300': // too_many_connections
      return 'busy';
    case '25P03': // idle_in_transaction_session_timeout
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
      return 'unreachable';
    default:
      return code.startsWith('08') ? 'unreachable' : undefined;
  }
}
