import { errorCode } from './error-code.ts';

/** What an error says. One that collects those of several addresses (AggregateError of connect) says nothing itself. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (errorCode(error) ?? error.name);
}
