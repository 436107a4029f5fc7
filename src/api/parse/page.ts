import type { ListOptions } from '../call-options.ts';
import type { Page } from '../model.ts';
import { arrayAt, asObject, isObject, UnexpectedShape, type WireObject } from './wire.ts';

/** As much of the platform's answer as tells of a page. */
interface PageAnswer {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * One page of a collection. Its total is the header's; where a gateway dropped it, a `next` link says that there is
 * more, and the total grows with every page.
 */
export function parsePage<T>(
  answer: PageAnswer,
  offset: number,
  parse: (item: unknown) => T,
  onUnusable?: ListOptions['onUnusable'],
): Page<T> {
  const object = asObject(answer.body, 'collection');
  const items = itemsOf(object);
  const told = Number(answer.headers['x-total-matching-query'] ?? 'none');
  const hasNext = arrayAt(object, 'links').some((link) => isObject(link) && link['rel'] === 'next');
  const total = Number.isFinite(told) ? told : offset + items.length + (hasNext ? 1 : 0);
  const parsed = parseItems(items, parse, onUnusable);
  return { items: parsed, total, leftOut: items.length - parsed.length };
}

/** The items of a collection: without any, the answer is another one, and says nothing of what there is. */
export function itemsOf(object: WireObject): readonly unknown[] {
  const { items } = object;
  // A search that matches nothing was seen to answer null (API document, Apps).
  if (items !== null && !Array.isArray(items)) throw new UnexpectedShape('the answer has no items');
  return items ?? [];
}

/** `onUnusable` is told of items that cannot be parsed, which are left out; without it they are an error. */
export function parseItems<T>(
  items: readonly unknown[],
  parse: (item: unknown) => T,
  onUnusable: ListOptions['onUnusable'],
): readonly T[] {
  if (onUnusable === undefined) return items.map(parse);
  return items.flatMap((item) => {
    try {
      return [parse(item)];
    } catch (error) {
      if (!(error instanceof UnexpectedShape)) throw error;
      onUnusable(error.message);
      return [];
    }
  });
}
