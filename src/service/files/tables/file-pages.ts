import type { Kysely } from 'kysely';
import type { PageRange } from '../../store/page-range.ts';
import { PreparedQuery } from '../../store/prepared-query.ts';
import type { Schema } from '../../store/schema.ts';
import { type FileListing, hasFilters } from './file-listing.ts';
import { type ListedFile, pageOfFiles } from './page-of-files.ts';

type Values = PageRange & { readonly parentId: string; readonly afterName?: string | undefined };

/** The parts of a prepared query. */
interface Kind {
  readonly afterName: boolean;
  readonly offset: boolean;
}

/** Reads pages of listings; those of all entries, which are most, by prepared queries. */
export class FilePages {
  readonly #db: Kysely<Schema>;
  readonly #first: PreparedQuery<Values, ListedFile>;
  readonly #beyond: PreparedQuery<Values, ListedFile>;
  readonly #after: PreparedQuery<Values, ListedFile>;
  readonly #beyondAfter: PreparedQuery<Values, ListedFile>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    this.#first = preparedPage(db, { afterName: false, offset: false });
    this.#beyond = preparedPage(db, { afterName: false, offset: true });
    this.#after = preparedPage(db, { afterName: true, offset: false });
    this.#beyondAfter = preparedPage(db, { afterName: true, offset: true });
  }

  async read(listing: FileListing, range: PageRange): Promise<ListedFile[]> {
    if (hasFilters(listing)) return pageOfFiles(this.#db, listing, range).execute();
    const { parentId, afterName } = listing;
    const values = { ...range, parentId, afterName };
    if (range.offset === 0) return (afterName === undefined ? this.#first : this.#after).all(values);
    return (afterName === undefined ? this.#beyond : this.#beyondAfter).all(values);
  }
}

function preparedPage(db: Kysely<Schema>, { afterName, offset }: Kind): PreparedQuery<Values, ListedFile> {
  return new PreparedQuery(db, (on, of) =>
    pageOfFiles(
      on,
      { parentId: of('parentId'), afterName: afterName ? of('afterName') : undefined },
      { offset: offset ? of('offset') : 0, limit: of('limit') },
    ),
  );
}
