import { type Kysely, sql } from 'kysely';
import type { RowPage } from '../../store/page-range.ts';
import type { Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';
import { type FileFilters, type FileQuery, filteredFiles } from './file-listing.ts';
import type { FileRow } from './file-table.ts';

/** Which files and folders of whole projects, wherever they lie. */
export interface FileSearch extends FileFilters {
  readonly projectIds: readonly string[];
  readonly kind?: 'file' | 'folder' | undefined;
}

export class FileSearchTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** By id, beginning after one. The total is of all that match, also before it. */
  async page(
    search: FileSearch,
    { afterId, limit }: { readonly afterId: string | undefined; readonly limit: number },
  ): Promise<RowPage<FileRow>> {
    let page = this.#matching(search).selectAll().orderBy('files.id').limit(limit);
    if (afterId !== undefined) page = page.where('files.id', '>', afterId);
    const { total } = await this.#matching(search)
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return { rows: await page.execute(), total: Number(total) };
  }

  /** Root folders are not among them. */
  #matching(search: FileSearch): FileQuery {
    const all = this.#db
      .selectFrom('files')
      .where('files.project_id', 'in', search.projectIds)
      .where('files.parent_id', 'is not', null);
    const query = filteredFiles(all, search);
    return search.kind === undefined ? query : query.where('files.kind', '=', search.kind);
  }
}

export const fileSearchIn: (store: Store) => FileSearchTable = table(({ db }) => new FileSearchTable(db));
