import { LRUCache } from 'lru-cache';

const FOLDERS_KEPT = 64;
/** Clients read pages in order, some of them several at once. */
const PLACES_KEPT = 64;

/** The entry after `afterName` is the one at `offset`. */
export interface Place {
  readonly offset: number;
  readonly afterName: string;
}

/** The facts that the pages of a folder told about it, as long as the database has not changed since. */
export class FolderFacts {
  readonly mark: string;
  /** How many entries it has. */
  total: number | undefined;
  /** Names by the offset of what comes after them. */
  readonly #names = new Map<number, string>();

  constructor(mark: string) {
    this.mark = mark;
  }

  /** The last place known at or before `offset`. */
  placeBefore(offset: number): Place | undefined {
    let last: Place | undefined;
    for (const [known, afterName] of this.#names) {
      if (known <= offset && known > (last?.offset ?? 0)) last = { offset: known, afterName };
    }
    return last;
  }

  note({ offset, afterName }: Place): void {
    const oldest = this.#names.keys().next();
    if (this.#names.size >= PLACES_KEPT && oldest.done !== true) this.#names.delete(oldest.value);
    this.#names.set(offset, afterName);
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
