import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { FileMetadata } from '../../../contract/file.ts';
import type { PageRange, RowPage } from '../../store/page-range.ts';
import { PreparedQuery } from '../../store/prepared-query.ts';
import type { FilesTable, Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';
import { type FileDetails, FileDetailsReader } from './file-details.ts';
import { type FileListing, isWhole, matchingFiles } from './file-listing.ts';
import { FilePages } from './file-pages.ts';
import { ListingMemo } from './listing-memo.ts';
import type { ListedFile } from './page-of-files.ts';

export type FileRow = Selectable<FilesTable>;

export type DetailedFile = FileRow & FileDetails;

/** Files and folders, their metadata and tags. */
export class FileTable {
  readonly #db: Kysely<Schema>;
  readonly #memo: ListingMemo | undefined;
  readonly #find: PreparedQuery<{ id: string }, FileRow>;
  readonly #pages: FilePages;
  readonly #details: FileDetailsReader;

  constructor(db: Kysely<Schema>, memo?: ListingMemo) {
    this.#db = db;
    this.#memo = memo;
    this.#find = new PreparedQuery(db, (on, of) =>
      on.selectFrom('files').selectAll().where('id', '=', of('id')),
    );
    this.#pages = new FilePages(db);
    this.#details = new FileDetailsReader(db);
  }

  async insert(file: FileRow): Promise<void> {
    await this.#db.insertInto('files').values(file).execute();
  }

  async update(id: string, changes: Updateable<FilesTable>): Promise<void> {
    await this.#db.updateTable('files').set(changes).where('id', '=', id).execute();
  }

  /** Changes the aliases of one object, but for one file. */
  async updateAliases(
    object: { readonly volumeId: string; readonly location: string; readonly except: string | undefined },
    changes: Updateable<FilesTable>,
  ): Promise<void> {
    await this.#db
      .updateTable('files')
      .set(changes)
      .where('volume_id', '=', object.volumeId)
      .where('location', '=', object.location)
      .$if(object.except !== undefined, (query) => query.where('id', '<>', object.except ?? ''))
      .execute();
  }

  async find(id: string): Promise<FileRow | undefined> {
    return this.#find.first({ id });
  }

  async findChild(parentId: string, name: string): Promise<FileRow | undefined> {
    return this.#db
      .selectFrom('files')
      .selectAll()
      .where('parent_id', '=', parentId)
      .where('name', '=', name)
      .executeTakeFirst();
  }

  async hasChildren(folderId: string): Promise<boolean> {
    const child = await this.#db
      .selectFrom('files')
      .select('id')
      .where('parent_id', '=', folderId)
      .limit(1)
      .executeTakeFirst();
    return child !== undefined;
  }

  /** All files and folders of a folder, by name. */
  async children(folderId: string): Promise<FileRow[]> {
    return this.#db
      .selectFrom('files')
      .selectAll()
      .where('parent_id', '=', folderId)
      .orderBy('name')
      .execute();
  }

  /** A page by name in byte order, then id. */
  async list(listing: FileListing, range: PageRange): Promise<RowPage<ListedFile>> {
    const facts = isWhole(listing) ? await this.#memo?.factsOf(listing.parentId) : undefined;
    const place = facts?.placeBefore(range.offset);
    const rows =
      place === undefined
        ? await this.#pages.read(listing, range)
        : await this.#pages.read(
            { ...listing, afterName: place.afterName },
            { ...range, offset: range.offset - place.offset },
          );
    const total = facts?.total ?? (await this.count(listing));
    if (facts) facts.total = total;
    const last = rows.at(-1);
    if (last) facts?.note({ offset: range.offset + rows.length, afterName: last.name });
    return { rows, total };
  }

  async count(listing: FileListing): Promise<number> {
    const { total } = await matchingFiles(this.#db, listing)
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /** With metadata and tags, in the same order. */
  async withDetails(rows: readonly FileRow[]): Promise<DetailedFile[]> {
    const detailsOf = await this.details(rows);
    return rows.map((row) => ({ ...row, ...detailsOf(row.id) }));
  }

  /** Metadata and tags by id; two queries for any number of files. */
  async details(rows: readonly Pick<FileRow, 'id' | 'kind'>[]): Promise<(id: string) => FileDetails> {
    return this.#details.read(rows.filter(({ kind }) => kind === 'file').map(({ id }) => id));
  }

  async metadata(fileId: string): Promise<FileMetadata> {
    const rows = await this.#db
      .selectFrom('file_metadata')
      .selectAll()
      .where('file_id', '=', fileId)
      .orderBy('key')
      .execute();
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  }

  async mergeMetadata(fileId: string, pairs: FileMetadata): Promise<void> {
    const rows = Object.entries(pairs).map(([key, value]) => ({ file_id: fileId, key, value }));
    if (rows.length === 0) return;
    await this.#db
      .insertInto('file_metadata')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['file_id', 'key']).doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
      )
      .execute();
  }

  async replaceMetadata(fileId: string, pairs: FileMetadata): Promise<void> {
    await this.#db.deleteFrom('file_metadata').where('file_id', '=', fileId).execute();
    await this.mergeMetadata(fileId, pairs);
  }

  async replaceTags(fileId: string, tags: readonly string[]): Promise<void> {
    await this.#db.deleteFrom('file_tags').where('file_id', '=', fileId).execute();
    if (tags.length === 0) return;
    await this.#db
      .insertInto('file_tags')
      .values(tags.map((tag, position) => ({ file_id: fileId, position, tag })))
      .execute();
  }

  /** Removes the record; the bytes become garbage when no other file refers to them. */
  async delete(file: Pick<FileRow, 'id' | 'blob_key'>, now: string): Promise<void> {
    await this.#db.deleteFrom('files').where('id', '=', file.id).execute();
    if (file.blob_key !== null) await this.discardBlob(file.blob_key, now);
  }

  /** Notes the blob as garbage when no file refers to it any more. */
  async discardBlob(blobKey: string, now: string): Promise<void> {
    const user = await this.#db
      .selectFrom('files')
      .select('id')
      .where('blob_key', '=', blobKey)
      .limit(1)
      .executeTakeFirst();
    if (user !== undefined) return;
    await this.#db
      .insertInto('blob_garbage')
      .values({ blob_key: blobKey, since: now })
      .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ since: now }))
      .execute();
  }

  /** Whether more than one file refers to the blob. */
  async isBlobShared(blobKey: string): Promise<boolean> {
    const users = await this.#db
      .selectFrom('files')
      .select('id')
      .where('blob_key', '=', blobKey)
      .limit(2)
      .execute();
    return users.length > 1;
  }

  /** Blobs of a whole project; for its removal. */
  async blobsOfProject(projectId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('files')
      .select('blob_key')
      .distinct()
      .where('project_id', '=', projectId)
      .where('blob_key', 'is not', null)
      .execute();
    return rows.flatMap(({ blob_key }) => (blob_key === null ? [] : [blob_key]));
  }
}

export const filesIn: (store: Store) => FileTable = table(
  ({ db, changeMark }) => new FileTable(db, changeMark && new ListingMemo(changeMark)),
);
