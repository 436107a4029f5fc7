import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';
import type { DetailedFile, FileRow } from './file-table.ts';

/** Both databases limit the parameters of a statement. */
const ROWS_AT_ONCE = 1000;

/** Many files in few statements, for work on whole folders. */
export class FileBatchTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** The first entries of a folder by name, or the first after a name. */
  async children(
    folderId: string,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<FileRow[]> {
    return this.#db
      .selectFrom('files')
      .selectAll()
      .where('parent_id', '=', folderId)
      .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
      .orderBy('name')
      .limit(limit)
      .execute();
  }

  /** Those there are, by name. */
  async findMany(ids: readonly string[]): Promise<FileRow[]> {
    if (ids.length === 0) return [];
    return this.#db.selectFrom('files').selectAll().where('id', 'in', ids).orderBy('name').execute();
  }

  /** Files in a folder and all folders below it. */
  async countBelow(folderId: string): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      ${foldersFrom(folderId)}
      select count(*) as total from files join below on files.parent_id = below.id where files.kind = 'file'
    `.execute(this.#db);
    return Number(rows[0]?.total ?? 0);
  }

  /** An archived file in a folder or one of the folders below it. */
  async findArchivedBelow(folderId: string): Promise<Pick<FileRow, 'name' | 'is_archived'> | undefined> {
    const { rows } = await sql<Pick<FileRow, 'name' | 'is_archived'>>`
      ${foldersFrom(folderId)}
      select name, is_archived from files join below on files.parent_id = below.id where is_archived = 1 limit 1
    `.execute(this.#db);
    return rows[0];
  }

  /** Those there are at these places, in any number of folders. */
  async findChildren(
    places: readonly { readonly parent_id: string; readonly name: string }[],
  ): Promise<FileRow[]> {
    const found: FileRow[][] = [];
    await inChunks(places, async (chunk) => {
      const values = sql.join(chunk.map(({ parent_id, name }) => sql`(${parent_id}, ${name})`));
      const query = this.#db.selectFrom('files').selectAll();
      found.push(await query.where(sql<boolean>`(parent_id, name) in (values ${values})`).execute());
    });
    return found.flat();
  }

  /** Which of these names are taken in a folder. */
  async takenNames(folderId: string, names: readonly string[]): Promise<Set<string>> {
    if (names.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('files')
      .select('name')
      .where('parent_id', '=', folderId)
      .where('name', 'in', names)
      .execute();
    return new Set(rows.map(({ name }) => name));
  }

  /** New files and folders that have neither metadata nor tags. */
  async insertBare(rows: readonly FileRow[]): Promise<void> {
    await inChunks(rows, (chunk) => this.#db.insertInto('files').values(chunk).execute());
  }

  /** New files with their metadata and tags. */
  async insert(files: readonly DetailedFile[]): Promise<void> {
    await this.insertBare(files.map(({ metadata: _, tags: __, ...row }) => row));
    const pairs = files.flatMap(({ id, metadata }) =>
      Object.entries(metadata).map(([key, value]) => ({ file_id: id, key, value })),
    );
    await inChunks(pairs, (chunk) => this.#db.insertInto('file_metadata').values(chunk).execute());
    const tags = files.flatMap(({ id, tags: own }) =>
      own.map((tag, position) => ({ file_id: id, position, tag })),
    );
    await inChunks(tags, (chunk) => this.#db.insertInto('file_tags').values(chunk).execute());
  }

  /** Puts files into another folder, under the names they have. */
  async move(ids: readonly string[], to: Pick<FileRow, 'id' | 'project_id'>): Promise<void> {
    if (ids.length === 0) return;
    await this.#db
      .updateTable('files')
      .set({ parent_id: to.id, project_id: to.project_id })
      .where('id', 'in', ids)
      .execute();
  }

  /** Removes the records; bytes that no other file refers to become garbage. */
  async delete(files: readonly Pick<FileRow, 'id' | 'blob_key'>[], now: string): Promise<void> {
    await inChunks(files, (chunk) => this.#deleteChunk(chunk, now));
  }

  async #deleteChunk(files: readonly Pick<FileRow, 'id' | 'blob_key'>[], now: string): Promise<void> {
    const ids = files.map(({ id }) => id);
    await this.#db.deleteFrom('files').where('id', 'in', ids).execute();
    const keys = [...new Set(files.flatMap(({ blob_key }) => (blob_key === null ? [] : [blob_key])))];
    if (keys.length === 0) return;
    const used = await this.#db
      .selectFrom('files')
      .select('blob_key')
      .where('blob_key', 'in', keys)
      .execute();
    const stillUsed = new Set(used.map(({ blob_key }) => blob_key));
    const garbage = keys.filter((key) => !stillUsed.has(key)).map((blob_key) => ({ blob_key, since: now }));
    if (garbage.length === 0) return;
    await this.#db
      .insertInto('blob_garbage')
      .values(garbage)
      .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ since: now }))
      .execute();
  }
}

/** `below`: the ids of a folder and of all folders below it. */
function foldersFrom(folderId: string): RawBuilder<unknown> {
  return sql`with recursive below(id) as (
    select id from files where id = ${folderId}
    union all
    select files.id from files join below on files.parent_id = below.id where files.kind = 'folder'
  )`;
}

async function inChunks<Row>(
  rows: readonly Row[],
  work: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) await work(rows.slice(at, at + ROWS_AT_ONCE));
}

export const fileBatchesIn: (store: Store) => FileBatchTable = table(({ db }) => new FileBatchTable(db));
