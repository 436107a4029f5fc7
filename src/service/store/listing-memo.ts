import { LRUCache } from 'lru-cache';

const FOLDERS_KEPT = 64;
/** Clients read pages in order, some of them several at once. */
const PLACES_KEPT = 64;

/** What the pages of a folder told about it, as long as the database has not changed since. */
export class FolderFacts {
  readonly mark: string;
  /** How many entries it has. */
  total: number | undefined;
  readonly #nameBefore = new Map<number, string>();

  constructor(mark: string) {
    this.mark = mark;
  }

  /** The name after which the page at `offset` begins. */
  nameBefore(offset: number): string | undefined {
    return this.#nameBefore.get(offset);
  }

  note(offset: number, nameBefore: string): void {
    const oldest = this.#nameBefore.keys().next();
    if (this.#nameBefore.size >= PLACES_KEPT && oldest.done !== true) this.#nameBefore.delete(oldest.value);
    this.#nameBefore.set(offset, nameBefore);
  }
}

/**
 * The total of a folder and the places where its pages begin, which would cost as much as the folder is large for each
 * page anew. Exact: `changeMark` is another as soon as anything in the database is.
 */
export class ListingMemo {
  readonly #changeMark: () => Promise<string>;
  readonly #folders = new LRUCache<string, FolderFacts>({ max: FOLDERS_KEPT });

  constructor(changeMark: () => Promise<string>) {
    this.#changeMark = changeMark;
  }

  /** Ask before the database is asked for what the facts are to hold. */
  async factsOf(folderId: string): Promise<FolderFacts> {
    const mark = await this.#changeMark();
    const known = this.#folders.get(folderId);
    if (known?.mark === mark) return known;
    const facts = new FolderFacts(mark);
    this.#folders.set(folderId, facts);
    return facts;
  }
}
