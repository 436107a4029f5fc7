import type { CallOptions, PageRequest } from '../../api/api.ts';
import type { Page } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import { pagesInOrder } from '../listing/pages-in-order.ts';

/** What the platform lists for its user as a whole: all projects, or all volumes. Asked for once per TTL. */
export class Catalog<T extends { readonly id: string }> {
  readonly #list: (page: PageRequest, options: CallOptions) => Promise<Page<T>>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #flights = new SharedFlights<'all', readonly T[]>();
  #known: { readonly items: readonly T[]; readonly learntMs: number } | undefined;

  constructor(
    list: (page: PageRequest, options: CallOptions) => Promise<Page<T>>,
    time: { readonly clock: Clock; readonly ttlMs: number },
  ) {
    this.#list = list;
    this.#clock = time.clock;
    this.#ttlMs = time.ttlMs;
  }

  async all(signal: AbortSignal): Promise<readonly T[]> {
    const known = this.#known;
    if (known && this.#clock.now() - known.learntMs < this.#ttlMs) return known.items;
    return this.#flights.join('all', signal, (shared) => this.#ask(shared));
  }

  async #ask(signal: AbortSignal): Promise<readonly T[]> {
    const learntMs = this.#clock.now();
    let byId = new Map<string, T>();
    let lastPass = 0;
    const fetch = (page: PageRequest, aborted: AbortSignal): Promise<Page<T>> =>
      this.#list(page, { signal: aborted });
    for await (const { pass, items } of pagesInOrder(fetch, { goOn: () => true, signal })) {
      if (pass !== lastPass) byId = new Map();
      lastPass = pass;
      for (const item of items) byId.set(item.id, item);
    }
    const items = [...byId.values()];
    this.#known = { items, learntMs };
    return items;
  }
}
