import type { ErrorCode } from '../../contract/error-codes.ts';
import { ServiceError } from './service-error.ts';

/**
 * The value of a field that has two names; undefined when neither is given.
 *
 * @throws ServiceError `contradiction` when both are given and differ
 */
export function oneOf<Name extends string>(
  fields: Readonly<Partial<Record<Name, string | undefined>>>,
  [first, second]: readonly [Name, Name],
  contradiction: ErrorCode,
): string | undefined {
  const one = fields[first] || undefined;
  const other = fields[second] || undefined;
  if (one !== undefined && other !== undefined && one !== other) {
    throw new ServiceError(contradiction, `The fields ${first} and ${second} name different things.`);
  }
  return one ?? other;
}
