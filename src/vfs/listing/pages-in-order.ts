import { setMaxListeners } from 'node:events';
import type { PageRequest, Priority } from '../../api/api.ts';
import type { Page } from '../../api/model.ts';

/** The most the platform gives at once. */
export const PAGE_LIMIT = 100;
/** Pages asked for ahead of the one waited for; the client's rate budget has the last word. */
const PAGES_IN_FLIGHT = 16;
/** A collection that changes while it is read is read again this often. */
const MAX_PASSES = 3;

export interface PageOfPass<T> {
  /** 0 for the first time through; a higher number begins from the start and replaces what came before. */
  readonly pass: number;
  readonly items: readonly T[];
}

export interface PagingOptions {
  /** Asked once, after the first page: whether the others are wanted. */
  readonly goOn: (total: number | undefined) => boolean;
  /** Asked for each page: who waits for it may change meanwhile. Default `interactive`. */
  readonly priority?: () => Priority;
  readonly signal: AbortSignal;
}

/**
 * Reads a paged collection: the first page tells the total, then the others are asked for in parallel and given in
 * order. Entries added or removed meanwhile shift the offsets of those after them, so that one may be missed; the
 * total then differs from page to page and everything is read once more.
 */
export async function* pagesInOrder<T>(
  fetch: (page: PageRequest, signal: AbortSignal) => Promise<Page<T>>,
  options: PagingOptions,
): AsyncGenerator<PageOfPass<T>> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const first = await fetch({ offset: 0, limit: PAGE_LIMIT }, options.signal);
    yield { pass, items: first.items };
    if (first.total <= PAGE_LIMIT || (pass === 0 && !options.goOn(first.total))) return;
    let shifted = false;
    for await (const page of pagesFrom(PAGE_LIMIT, { fetch, total: first.total, signal: options.signal })) {
      shifted ||= page.total !== first.total;
      yield { pass, items: page.items };
    }
    if (!shifted) return;
  }
}

async function* pagesFrom<T>(
  start: number,
  from: {
    readonly fetch: (page: PageRequest, signal: AbortSignal) => Promise<Page<T>>;
    readonly total: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Page<T>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([from.signal, stop.signal]);
  setMaxListeners(0, signal);
  const window: Promise<Page<T>>[] = [];
  let offset = start;
  try {
    while (offset < from.total || window.length > 0) {
      for (; offset < from.total && window.length < PAGES_IN_FLIGHT; offset += PAGE_LIMIT) {
        const page = from.fetch({ offset, limit: PAGE_LIMIT }, signal);
        // Its failure is seen when its turn comes; by then an earlier one may have ended the listing.
        page.catch(() => undefined);
        window.push(page);
      }
      const next = window.shift();
      if (next !== undefined) yield await next;
    }
  } finally {
    stop.abort();
  }
}
