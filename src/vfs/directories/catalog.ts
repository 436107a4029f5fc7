import type { CallOptions, PageRequest } from '../../api/call-options.ts';
import type { Page } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdPatterns } from '../../lib/id-patterns.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { endsWithTime, errnoOf } from '../errors/errno-of.ts';

/** How the platform is asked for all there is, and for one by its id. */
export interface CatalogCalls<T> {
  list(page: PageRequest, options: CallOptions): Promise<Page<T>>;
  get(id: string, options: CallOptions): Promise<T>;
}

/** Prompts of shells name the same absent names at each command. Somebody who has just made one names it later. */
const ABSENCE_MS = 10_000;
/** So many absent ids are remembered. */
const MOST_ABSENT = 1000;

/**
 * A list that the platform gives its user as a whole: all projects, or all volumes, or those of them that are selected.
 * Asked for once per TTL, or ahead as well.
 */
export class Catalog<T extends { readonly id: string; readonly name: string }> {
  readonly #calls: CatalogCalls<T>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #selected: IdPatterns | undefined;
  readonly #flights = new SharedFlights<'all', Known<T>>({ endsWithTime });
  readonly #absent = new Map<string, number>();
  #askedForOwnerMs = Number.NEGATIVE_INFINITY;
  #known: Known<T> | undefined;
  #ahead: Promise<Known<T>> | undefined;

  /** `selected`: all others are as if there were none. */
  constructor(
    calls: CatalogCalls<T>,
    time: { readonly clock: Clock; readonly ttlMs: number },
    selected?: IdPatterns,
  ) {
    this.#calls = calls;
    this.#clock = time.clock;
    this.#ttlMs = time.ttlMs;
    this.#selected = selected;
  }

  async all(signal: AbortSignal): Promise<Known<T>> {
    return this.#known && this.#counts(this.#known) ? this.#known : this.renewed(signal);
  }

  /**
   * As `all`, for an owner that is not among them: asked for now, or a moment ago for another such owner. What was learnt
   * otherwise does not count, since somebody may have given a project away just after.
   */
  async withOwner(signal: AbortSignal): Promise<Known<T>> {
    if (this.#known && this.#isRecent(this.#askedForOwnerMs)) return this.#known;
    const askedMs = this.#clock.elapsed();
    const known = await this.renewed(signal);
    this.#askedForOwnerMs = askedMs;
    return known;
  }

  /** As `all`, asked for now. */
  async renewed(signal: AbortSignal): Promise<Known<T>> {
    this.#known = await this.#flights.join('all', signal, (shared) => this.#ask(shared));
    this.#ahead = undefined;
    return this.#known;
  }

  /** Whether anything of that owner may be in it. */
  mayHaveOwner(owner: string): boolean {
    return this.#selected?.hasOwner(owner) ?? true;
  }

  /**
   * The one with an id, asked for now; it is one of all from then on. Undefined: the user has none with that id, or had none a
   * moment ago.
   */
  async find(id: string, signal: AbortSignal): Promise<T | undefined> {
    if (this.#selected?.has(id) === false) return undefined;
    const absentMs = this.#absent.get(id);
    if (absentMs !== undefined && this.#isRecent(absentMs)) return undefined;
    const askedMs = this.#clock.elapsed();
    const item = await this.#get(id, signal);
    if (item === undefined) this.#learnAbsent(id, askedMs);
    const known = this.#known;
    if (item && known)
      this.#known = { ...known, items: [...known.items.filter((each) => each.id !== item.id), item] };
    return item;
  }

  /** One of all is not there any more: they are asked for anew at the next use. */
  expire(): void {
    this.#absent.clear();
    this.#known = undefined;
    this.#ahead = undefined;
  }

  /** Asks now, for a caller that comes soon (`expected`). */
  askAhead(): void {
    const ahead = this.#ask(NEVER_ABORTED);
    this.#ahead = ahead;
    // Those that wait for it are told; a later caller asks anew.
    ahead.catch(() => {
      if (this.#ahead === ahead) this.#ahead = undefined;
    });
  }

  /**
   * The catalog that was asked for ahead, until a program has asked for it. It counts for the names it has. A name that
   * it lacks may have been made since, for no program had looked yet.
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

  #isRecent(learntMs: number): boolean {
    return this.#clock.elapsed() - learntMs < Math.min(ABSENCE_MS, this.#ttlMs);
  }

  #learnAbsent(id: string, askedMs: number): void {
    this.#absent.delete(id);
    this.#absent.set(id, askedMs);
    const [oldest] = this.#absent.keys();
    if (this.#absent.size > MOST_ABSENT && oldest !== undefined) this.#absent.delete(oldest);
  }

  async #get(id: string, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#calls.get(id, { signal });
    } catch (error) {
      // EINVAL: nothing can have that id.
      if (['ENOENT', 'EINVAL'].includes(errnoOf(error))) return undefined;
      throw error;
    }
  }

  async #ask(signal: AbortSignal): Promise<Known<T>> {
    const learntMs = this.#clock.elapsed();
    const ids = this.#selected?.ids;
    const items = ids ? await this.#getAll(ids, signal) : await this.#list(signal);
    return { items, learntMs };
  }

  async #getAll(ids: readonly string[], signal: AbortSignal): Promise<readonly T[]> {
    const found = await Promise.all(ids.map((id) => this.#get(id, signal)));
    return found.filter((item) => item !== undefined);
  }

  async #list(signal: AbortSignal): Promise<readonly T[]> {
    const fetch = (page: PageRequest, aborted: AbortSignal): Promise<Page<T>> =>
      this.#calls.list(page, { signal: aborted });
    const collection = { what: 'the list of projects or volumes', limit: PAGE_LIMIT_MAX, signal };
    const all = await collect(pagesInOrder(fetch, collection));
    return this.#selected ? all.filter(({ id }) => this.#selected?.has(id)) : all;
  }
}

export interface Known<T> {
  readonly items: readonly T[];
  readonly learntMs: number;
}
