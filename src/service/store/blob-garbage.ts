import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Blobs that wait for their bytes to be removed. */
export class BlobGarbageStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** Keys of blobs unused since before `time`, and used by no file now. */
  async unusedSince(time: string, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('blob_garbage')
      .select('blob_key')
      .where('since', '<=', time)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('files').select('files.id').whereRef('files.blob_key', '=', 'blob_garbage.blob_key'),
          ),
        ),
      )
      .limit(limit)
      .execute();
    return rows.map(({ blob_key }) => blob_key);
  }

  async forget(blobKey: string): Promise<void> {
    await this.#db.deleteFrom('blob_garbage').where('blob_key', '=', blobKey).execute();
  }
}
