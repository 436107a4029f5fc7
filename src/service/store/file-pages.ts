import type { Kysely } from 'kysely';
import { type FileListing, isWhole } from './file-listing.ts';
import { type ListedFile, pageOfFiles } from './page-of-files.ts';
import type { PageRange } from './page-range.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';

type Values = PageRange & { readonly parentId: string; readonly afterName?: string | undefined };

/** Reads pages of listings; those of whole folders, which are most, by prepared queries. */
export class FilePages {
  readonly #db: Kysely<Schema>;
  /** By whether they begin after a name, and whether they pass over entries. */
  readonly #prepared = new Map<string, PreparedQuery<Values, ListedFile>>();

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async read(listing: FileListing, range: PageRange): Promise<ListedFile[]> {
    const { parentId, afterName } = listing;
    if (!isWhole({ ...listing, afterName: undefined }))
      return pageOfFiles(this.#db, listing, range).execute();
    const begins = afterName !== undefined;
    const passes = range.offset > 0;
    const kind = `${begins} ${passes}`;
    const query = this.#prepared.get(kind) ?? preparedPage(this.#db, { begins, passes });
    this.#prepared.set(kind, query);
    return query.all(this.#db, { ...range, parentId, afterName });
  }
}

function preparedPage(
  db: Kysely<Schema>,
  { begins, passes }: { readonly begins: boolean; readonly passes: boolean },
): PreparedQuery<Values, ListedFile> {
  return new PreparedQuery((of) =>
    pageOfFiles(
      db,
      { parentId: of('parentId'), afterName: begins ? of('afterName') : undefined },
      { offset: passes ? of('offset') : 0, limit: of('limit') },
    ),
  );
}
