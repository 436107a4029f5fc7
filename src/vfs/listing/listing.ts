import { deferred } from '../../lib/deferred.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { ChildCache } from '../model/child-cache.ts';
import type { DirectoryNode, Node } from '../model/node.ts';

/** A name as it was listed; the node may have got another one since. */
export interface ListingEntry {
  readonly name: string;
  readonly node: Node;
}

/**
 * The names of a directory as one reader after the other goes through them. Entries are only ever appended, so an index
 * is a place to go on from (readdir's cookie) whatever happens to the directory meanwhile. The first entries are there
 * before the last page of the platform is.
 *
 * A reader holds its listing. A listing that no reader holds may stop, and the nodes of a held one are not dropped for
 * want of room.
 */
export class Listing {
  // Two arrays of 8 bytes an entry: an object for each would be 48.
  readonly #names: string[] = [];
  readonly #nodes: Node[] = [];
  #state: 'growing' | 'complete' | 'failed' = 'growing';
  #version: number | undefined;
  #failure: unknown;
  /** Settles at the next change. */
  #changed = deferred();
  #holders = 0;
  #isDemanded = false;
  readonly #demand = deferred();
  /** When it stopped after its first page, for nobody demanded more; on the clock that only goes forward. */
  pausedMs: number | undefined;
  readonly #children: Pick<ChildCache<Node>, 'readers'>;
  readonly #onAbandoned: () => void;

  /** Of the directory with these children. */
  constructor(children: Pick<ChildCache<Node>, 'readers'>, onAbandoned: () => void = () => undefined) {
    this.#children = children;
    this.#onAbandoned = onAbandoned;
  }

  /** A listing of the known entries of a directory. */
  static of({ children }: DirectoryNode): Listing {
    const listing = new Listing(children);
    listing.append(children.nodes());
    listing.end(children.version);
    return listing;
  }

  /** Of a directory whose names cannot be had. */
  static failed({ children }: DirectoryNode, error: unknown): Listing {
    const listing = new Listing(children);
    listing.fail(error);
    return listing;
  }

  get length(): number {
    return this.#nodes.length;
  }

  /** The directory's (`ChildCache.version`) whose names these are; undefined when some went while they were listed. */
  get version(): number | undefined {
    return this.#version;
  }

  get held(): boolean {
    return this.#holders > 0;
  }

  hold(): this {
    this.#holders++;
    this.#children.readers++;
    return this;
  }

  /** Gives one hold up. */
  letGo(): void {
    this.#holders--;
    this.#children.readers--;
    if (this.#holders === 0 && this.#state === 'growing') this.#onAbandoned();
  }

  /** A reader goes through it: the names that are not there yet are wanted. */
  demand(): void {
    this.#isDemanded = true;
    this.#demand.resolve();
  }

  get isDemanded(): boolean {
    return this.#isDemanded;
  }

  /** Settles when `demand` is called. */
  get demanded(): Promise<void> {
    return this.#demand.promise;
  }

  append(nodes: Iterable<Node>): void {
    for (const node of nodes) {
      this.#names.push(node.name);
      this.#nodes.push(node);
    }
    this.#tell();
  }

  end(version: number | undefined): void {
    this.#version = version;
    this.#state = 'complete';
    this.#tell();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#state = 'failed';
    this.#tell();
  }

  get(index: number): ListingEntry | undefined {
    const name = this.#names[index];
    const node = this.#nodes[index];
    return name === undefined || node === undefined ? undefined : { name, node };
  }

  /** Whether there is an entry at `index`, or will never be, or (undefined) that is not known yet. Throws why the listing failed. */
  has(index: number): boolean | undefined {
    if (index < this.length) return true;
    if (this.#state === 'failed') throw this.#failure;
    return this.#state === 'complete' ? false : undefined;
  }

  /** Waits until `has(index)` is known. */
  async wait(index: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const known = this.has(index);
      if (known !== undefined) return known;
      this.demand();
      await untilAborted(this.#changed.promise, signal);
    }
  }

  /** Waits for the last entry. */
  async all(signal: AbortSignal): Promise<void> {
    await this.wait(Number.MAX_SAFE_INTEGER, signal);
  }

  #tell(): void {
    const { resolve } = this.#changed;
    this.#changed = deferred();
    resolve();
  }
}
