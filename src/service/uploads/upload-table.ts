import { type Kysely, type Selectable, sql } from 'kysely';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { Schema, UploadPartsTable, UploadsTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type UploadRow = Selectable<UploadsTable>;
export type UploadPartRow = Omit<Selectable<UploadPartsTable>, 'upload_id'>;

/** Active uploads and the parts reported of them. */
export class UploadTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(upload: UploadRow): Promise<void> {
    await this.#db.insertInto('uploads').values(upload).execute();
  }

  async find(id: string): Promise<UploadRow | undefined> {
    return this.#db.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Whether the upload was still there: completing and aborting at once, one of them wins. */
  async delete(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db.deleteFrom('uploads').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** The user's own, oldest first. */
  async list(createdBy: string, range: PageRange): Promise<RowPage<UploadRow>> {
    const own = this.#db.selectFrom('uploads').where('created_by', '=', createdBy);
    const rows = await own
      .selectAll()
      .orderBy('initiated')
      .orderBy('id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await own.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  async count(): Promise<number> {
    const { total } = await this.#db
      .selectFrom('uploads')
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /** Begun before `time`, oldest first. */
  async initiatedBefore(time: string, limit: number): Promise<UploadRow[]> {
    return this.#db
      .selectFrom('uploads')
      .selectAll()
      .where('initiated', '<', time)
      .orderBy('initiated')
      .limit(limit)
      .execute();
  }

  /** How the blob store knows each of the active uploads. */
  async targets(): Promise<string[]> {
    const rows = await this.#db.selectFrom('uploads').select('target').execute();
    return rows.map(({ target }) => target);
  }

  /** Uploads into a project; for its removal. */
  async ofProject(projectId: string): Promise<UploadRow[]> {
    return this.#db.selectFrom('uploads').selectAll().where('project_id', '=', projectId).execute();
  }

  /** Reports parts; a part reported before is replaced. */
  async report(uploadId: string, parts: readonly UploadPartRow[]): Promise<void> {
    for (let at = 0; at < parts.length; at += ROWS_AT_ONCE) {
      await this.#db
        .insertInto('upload_parts')
        .values(parts.slice(at, at + ROWS_AT_ONCE).map((part) => ({ ...part, upload_id: uploadId })))
        .onConflict((conflict) =>
          conflict
            .columns(['upload_id', 'part_number'])
            .doUpdateSet((eb) => ({ etag: eb.ref('excluded.etag'), size: eb.ref('excluded.size') })),
        )
        .execute();
    }
  }

  /** By part number. */
  async parts(uploadId: string): Promise<UploadPartRow[]> {
    return this.#db
      .selectFrom('upload_parts')
      .select(['part_number', 'etag', 'size'])
      .where('upload_id', '=', uploadId)
      .orderBy('part_number')
      .execute();
  }

  async countParts(uploadId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('upload_parts')
      .select(sql<number>`count(*)`.as('total'))
      .where('upload_id', '=', uploadId)
      .executeTakeFirstOrThrow();
    return Number(total);
  }
}

/** Both databases limit the parameters of a statement. */
const ROWS_AT_ONCE = 500;

export const uploadsIn: (store: Store) => UploadTable = table(({ db }) => new UploadTable(db));
