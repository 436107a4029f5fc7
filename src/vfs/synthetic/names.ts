import { SharedFlights } from '../../lib/shared-flights.ts';
import { endsWithTime } from '../errors/errno-of.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticName } from '../model/synthetic.ts';

/**
 * The names of a directory, as far as somebody has read them: one page after the other, each asked for once, however many
 * programs read. An index is a place to go on from whatever happens to the directory meanwhile.
 */
export class Names {
  readonly #list: SyntheticDirectory['list'];
  readonly #names: SyntheticName[] = [];
  readonly #byName = new Map<string, SyntheticName>();
  readonly #flights = new SharedFlights<'page', void>({ endsWithTime });
  #next: { readonly cursor: string | undefined } | undefined = { cursor: undefined };
  /** When the first page was asked for, on the clock that only goes forward. */
  readonly learntMs: number;

  constructor(directory: SyntheticDirectory, nowMs: number) {
    this.#list = (...args) => directory.list(...args);
    this.learntMs = nowMs;
  }

  /** What a page told of a name. */
  entryOf(name: string): SyntheticEntry | undefined {
    return this.#byName.get(name)?.entry;
  }

  /** The name at an index; undefined: not asked for yet, or there is none (`isComplete`). */
  at(index: number): SyntheticName | undefined {
    return this.#names[index];
  }

  get isComplete(): boolean {
    return this.#next === undefined;
  }

  /** The name at an index, for which the next pages are asked. Undefined: there is none. */
  async reach(index: number, signal: AbortSignal): Promise<SyntheticName | undefined> {
    while (this.#names[index] === undefined && !this.isComplete)
      await this.#flights.join('page', signal, (shared) => this.#ask(shared));
    return this.#names[index];
  }

  /** An entry that comes or goes between two pages shifts the others: none is given twice. */
  async #ask(signal: AbortSignal): Promise<void> {
    const asked = this.#next;
    if (asked === undefined) return;
    const { names, next } = await this.#list(asked.cursor, signal);
    for (const each of names) {
      if (this.#byName.has(each.name)) continue;
      this.#byName.set(each.name, each);
      this.#names.push(each);
    }
    this.#next = next === undefined ? undefined : { cursor: next };
  }
}
