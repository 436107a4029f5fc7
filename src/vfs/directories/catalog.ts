import type { CallOptions, PageRequest } from '../../api/api.ts';
import type { Page } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';

/** What the platform lists for its user as a whole: all projects, or all volumes. Asked for once per TTL, or ahead as well. */
export class Catalog<T extends { readonly id: string; readonly name: string }> {
  readonly #list: (page: PageRequest, options: CallOptions) => Promise<Page<T>>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #flights = new SharedFlights<'all', Known<T>>();
  #known: Known<T> | undefined;
  #ahead: Promise<Known<T>> | undefined;

  constructor(
    list: (page: PageRequest, options: CallOptions) => Promise<Page<T>>,
    time: { readonly clock: Clock; readonly ttlMs: number },
  ) {
    this.#list = list;
    this.#clock = time.clock;
    this.#ttlMs = time.ttlMs;
  }

  async all(signal: AbortSignal): Promise<Known<T>> {
    if (this.#known && this.#counts(this.#known)) return this.#known;
    this.#known = await this.#flights.join('all', signal, (shared) => this.#ask(shared));
    this.#ahead = undefined;
    return this.#known;
  }

  /** Asks now, for who comes soon (`expected`). */
  askAhead(): void {
    const ahead = this.#ask(NEVER_ABORTED);
    this.#ahead = ahead;
    // Told to who waits for it; who comes later asks anew.
    ahead.catch(() => {
      if (this.#ahead === ahead) this.#ahead = undefined;
    });
  }

  /**
   * What was asked for ahead, until somebody has asked for all: it counts for what it names. What it does not name may
   * have been made since, for nobody had looked yet.
   */
  async expected(signal: AbortSignal): Promise<Known<T> | undefined> {
    const ahead = this.#ahead;
    if (ahead === undefined) return undefined;
    const known = await untilAborted(ahead, signal);
    return this.#ahead === ahead && this.#counts(known) ? known : undefined;
  }

  #counts({ learntMs }: Known<T>): boolean {
    return this.#clock.elapsed() - learntMs < this.#ttlMs;
  }

  async #ask(signal: AbortSignal): Promise<Known<T>> {
    const learntMs = this.#clock.elapsed();
    const fetch = (page: PageRequest, aborted: AbortSignal): Promise<Page<T>> =>
      this.#list(page, { signal: aborted });
    const collection = { what: 'the list of projects or volumes', limit: PAGE_LIMIT_MAX, signal };
    return { items: await collect(pagesInOrder(fetch, collection)), learntMs };
  }
}

export interface Known<T> {
  readonly items: readonly T[];
  readonly learntMs: number;
}
