import { errorCode } from './error-code.ts';

/** The message of an error. An AggregateError, as connect gives for several addresses, has none of its own. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (errorCode(error) ?? error.name);
}
