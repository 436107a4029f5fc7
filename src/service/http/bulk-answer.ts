import type { TSchema } from 'typebox';
import type { BulkAnswer } from '../../contract/bulk.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { serviceErrorOf } from './error-answer.ts';
import { errorBody } from './error-body.ts';
import type { RequestView } from './request-view.ts';
import { ServiceError } from './service-error.ts';
import { validatorCompiler } from './validator-compiler.ts';

/**
 * Does the entries of a bulk call one after the other and answers them in their order. An entry that is refused is
 * refused alone.
 *
 * @throws ServiceError 90000 when there are more than allowed; nothing has been done then
 */
export async function bulkAnswer<Entry, Resource>(
  entries: readonly Entry[],
  view: RequestView,
  work: (entry: Entry) => Promise<Resource>,
): Promise<BulkAnswer<Resource>> {
  checkBulk(entries);
  const items: BulkAnswer<Resource>['items'] = [];
  for (const entry of entries) {
    try {
      items.push({ resource: await work(entry) });
    } catch (error) {
      const told = serviceErrorOf(error);
      // The service's own failure is not the entry's: the whole call fails, and is logged.
      if (told.status >= 500) throw error;
      items.push({ error: errorBody(told, view) });
    }
  }
  return { items };
}

/** @throws ServiceError 90000 */
export function checkBulk(entries: readonly unknown[]): void {
  if (entries.length > BULK_ITEMS_MAX) {
    throw new ServiceError(90000, `A bulk call takes at most ${BULK_ITEMS_MAX} entries.`);
  }
}

/** Checks one entry of a bulk call as the single call checks its body. The function throws ServiceError 90000. */
export function entryChecker<Body>(schema: TSchema): (entry: unknown) => Body {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '' });
  return (entry) => {
    const checked: unknown = validate(entry);
    const { value, error } = checked as { value?: Body; error?: Error };
    if (error !== undefined) throw error;
    return value as Body;
  };
}
