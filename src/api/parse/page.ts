import type { Page } from '../model.ts';
import type { Answer } from '../transport/call.ts';
import { arrayAt, asObject, isObject } from './wire.ts';

/**
 * One page of a collection. Its total is the header's; where a gateway dropped it, a `next` link says that there is
 * more, and the total grows with every page.
 */
export function parsePage<T>(answer: Answer, offset: number, parse: (item: unknown) => T): Page<T> {
  const object = asObject(answer.body, 'collection');
  // A search that matches nothing was seen to answer null (API document, Apps).
  const items = arrayAt(object, 'items').map(parse);
  const told = Number(answer.headers['x-total-matching-query'] ?? 'none');
  const hasNext = arrayAt(object, 'links').some((link) => isObject(link) && link['rel'] === 'next');
  const total = Number.isFinite(told) ? told : offset + items.length + (hasNext ? 1 : 0);
  return { items, total };
}
