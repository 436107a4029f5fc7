/**
 * Reads a collection by pages of an offset while others change it. An entry that comes or goes shifts the offsets of
 * all after it, so that a page may lack an entry that nobody touched.
 *
 * The first pass asks for pages side by side, as few as there can be. Nothing was shifted if every page told the same
 * total and so many different entries came; all it cannot tell of is one that went and one that came for it. Otherwise
 * all is read again by pages that overlap: when each shares an entry with the one before, there is none between them
 * that stayed and was missed.
 */
import { setMaxListeners } from 'node:events';

/** Pages asked for ahead of the one waited for; the client's rate budget has the last word. */
const PAGES_IN_FLIGHT = 16;
/** A collection that changes while it is read is read again until it was read so often. */
const MAX_PASSES = 3;
/** The share of a page that is asked for again with the next one, after the first pass. */
const OVERLAP = 0.2;

/** An item of a collection, in an order that is the same for every page. */
interface Item {
  readonly id: string;
  readonly name: string;
}

interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

interface Page<T> {
  readonly items: readonly T[];
  /** Of the whole collection. */
  readonly total: number;
  /** So many more came that are not given. */
  readonly leftOut?: number;
}

type Fetch<T> = (page: PageRequest, signal: AbortSignal) => Promise<Page<T>>;

export interface PageOfPass<T> {
  /** 0 for the first time through; a higher number begins from the start and replaces what came before. */
  readonly pass: number;
  /** May hold some that came with an earlier page. */
  readonly items: readonly T[];
  /** The pages of this pass are all there is, and nothing came, went or got another place while they were read. */
  readonly unchanged: boolean;
}

export interface CollectionOptions {
  /** The name of the collection in a message to people. */
  readonly what: string;
  /** Items of a page. */
  readonly limit: number;
  /** Asked once, after the first page of several: whether the others are wanted. Default: they are. */
  readonly goOn?: (total: number) => boolean | Promise<boolean>;
  /** Pages overlap from the first pass on, and one pass must be `unchanged`. Default: it may lack what was renamed meanwhile. */
  readonly strict?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A collection changed too fast to be read: some of what is in it may be missing. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError';
}

/** Gives pages as they come, in order. @throws UnsettledError after the last page, when no pass was good */
export async function* pagesInOrder<T extends Item>(
  fetch: Fetch<T>,
  options: CollectionOptions,
): AsyncGenerator<PageOfPass<T>> {
  const { what, limit, goOn = () => true, strict = false, signal } = options;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const step = pass === 0 && !strict ? limit : Math.ceil(limit * (1 - OVERLAP));
    const findings = new Findings();
    for await (const page of pagesEvery(step, { fetch, limit, signal })) {
      const { offset, items, total } = page;
      findings.add(page, limit);
      yield { pass, items, unchanged: findings.unchanged };
      if (pass === 0 && offset === 0 && total > limit && !(await goOn(total))) return;
    }
    const { unchanged, holdAllThatStayed } = findings;
    if (strict ? unchanged && holdAllThatStayed : unchanged || holdAllThatStayed) return;
  }
  throw new UnsettledError(`${what} changes faster than it can be listed: try again when others are done`);
}

/** The items of the last pass of `pagesInOrder`, each once. */
export async function collect<T extends Item>(pages: AsyncIterable<PageOfPass<T>>): Promise<readonly T[]> {
  let byId = new Map<string, T>();
  let lastPass = 0;
  for await (const { pass, items } of pages) {
    if (pass !== lastPass) byId = new Map();
    lastPass = pass;
    for (const item of items) byId.set(item.id, item);
  }
  return [...byId.values()];
}

interface PageAt<T> extends Page<T> {
  readonly offset: number;
}

/** The items and totals that the pages of one pass give together. */
class Findings {
  readonly #ids = new Set<string>();
  /** True where pages do not overlap. */
  #leftOut = 0;
  #total: number | undefined;
  #sameTotal = true;
  #previous: ReadonlySet<string> | undefined;
  #joined = true;
  #atEnd = false;

  add({ offset, items, total, leftOut = 0 }: PageAt<Item>, limit: number): void {
    this.#leftOut += leftOut;
    for (const { id } of items) this.#ids.add(id);
    this.#total ??= total;
    this.#sameTotal &&= total === this.#total;
    // Under another name an entry is at another place, and joins nothing.
    const places = new Set(items.map(({ id, name }) => `${id}/${name}`));
    const previous = this.#previous;
    if (previous && !this.#atEnd) this.#joined &&= [...places].some((place) => previous.has(place));
    this.#previous = places;
    this.#atEnd ||= offset + limit >= total;
  }

  get unchanged(): boolean {
    return this.#sameTotal && this.#ids.size + this.#leftOut === this.#total;
  }

  get holdAllThatStayed(): boolean {
    return this.#joined && this.#atEnd;
  }
}

/** One page at each multiple of `step`, until one reaches the total or has nothing: then there is nothing after it, whatever it tells. */
async function* pagesEvery<T>(
  step: number,
  from: { readonly fetch: Fetch<T>; readonly limit: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<PageAt<T>> {
  const { limit } = from;
  const stop = new AbortController();
  const signal = AbortSignal.any(from.signal ? [from.signal, stop.signal] : [stop.signal]);
  setMaxListeners(0, signal);
  const window: Promise<PageAt<T>>[] = [];
  let offset = 0;
  const ask = async (at: number): Promise<PageAt<T>> => ({
    offset: at,
    ...(await from.fetch({ offset: at, limit }, signal)),
  });
  try {
    const first = await ask(0);
    let { total } = first;
    yield first;
    if (isEmpty(first)) return;
    for (;;) {
      while (offset + limit < total && window.length < PAGES_IN_FLIGHT) {
        offset += step;
        const page = ask(offset);
        // Its failure is seen when its turn comes; by then an earlier one may have ended the listing.
        page.catch(() => undefined);
        window.push(page);
      }
      const next = window.shift();
      if (next === undefined) return;
      const page = await next;
      total = page.total;
      yield page;
      if (isEmpty(page)) return;
    }
  } finally {
    stop.abort();
  }
}

function isEmpty({ items, leftOut = 0 }: Page<unknown>): boolean {
  return items.length + leftOut === 0;
}
