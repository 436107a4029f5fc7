import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';

/**
 * Blobs that wait for their bytes to be removed. It also has blobs that were given away to become an object, as long as a
 * file may still keep them. The files tell which of the two a blob is: one that a file uses is not removed.
 */
export class BlobGarbageTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** Notes a blob as given away, though a file still uses it. */
  async giveAway(blobKey: string, now: string): Promise<void> {
    await this.#db
      .insertInto('blob_garbage')
      .values({ blob_key: blobKey, since: now })
      .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ since: now }))
      .execute();
  }

  /** Keys of blobs given away at `time` or before, and used by a file now: the first in their order, or the first after one. */
  async givenAwayUntil(time: string, limit: number, after = ''): Promise<string[]> {
    return this.#noted({ time, limit, after }, isUsed);
  }

  /** The same of blobs unused since `time` or before, and used by no file now. */
  async unusedSince(time: string, limit: number, after = ''): Promise<string[]> {
    return this.#noted({ time, limit, after }, (eb) => eb.not(isUsed(eb)));
  }

  async forget(blobKey: string): Promise<void> {
    await this.#db.deleteFrom('blob_garbage').where('blob_key', '=', blobKey).execute();
  }

  /** Unless the blob was given away again, or its last file deleted, after `time`. */
  async forgetUntil(blobKey: string, time: string): Promise<void> {
    await this.#db
      .deleteFrom('blob_garbage')
      .where('blob_key', '=', blobKey)
      .where('since', '<=', time)
      .execute();
  }

  async #noted(
    { time, limit, after }: { readonly time: string; readonly limit: number; readonly after: string },
    condition: (eb: Builder) => ExpressionWrapper<Schema, 'blob_garbage', SqlBool>,
  ): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('blob_garbage')
      .select('blob_key')
      .where('blob_key', '>', after)
      .where('since', '<=', time)
      .where(condition)
      .orderBy('blob_key')
      .limit(limit)
      .execute();
    return rows.map(({ blob_key }) => blob_key);
  }
}

type Builder = ExpressionBuilder<Schema, 'blob_garbage'>;

function isUsed(eb: Builder): ExpressionWrapper<Schema, 'blob_garbage', SqlBool> {
  return eb.exists(
    eb.selectFrom('files').select('files.id').whereRef('files.blob_key', '=', 'blob_garbage.blob_key'),
  );
}

export const blobGarbageIn: (store: Store) => BlobGarbageTable = table(({ db }) => new BlobGarbageTable(db));
