import { QUERY_VALUES_MAX } from '../../contract/limits.ts';
import { ServiceError } from './service-error.ts';

/**
 * The terms of one search, however they were given: each becomes a condition of the query, and databases refuse a query
 * of a thousand conditions.
 *
 * @throws ServiceError 90000
 */
export function checkTerms(terms: readonly string[], what: string): readonly string[] {
  if (terms.length > QUERY_VALUES_MAX) {
    throw new ServiceError(90000, `A search takes at most ${QUERY_VALUES_MAX} ${what}, not ${terms.length}.`);
  }
  return terms;
}
