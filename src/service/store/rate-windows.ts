import type { Kysely, Selectable } from 'kysely';
import type { RateWindowsTable, Schema } from './schema.ts';

type RateWindow = Omit<Selectable<RateWindowsTable>, 'key'>;

/** Requests counted in the database, so that all processes on it count together. */
export class RateWindowStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /**
   * Counts one request, in one statement. A window begins with the first request after the last one ended.
   *
   * @returns The window with the request; undefined when `most` are counted in it already, and then writes nothing
   */
  async count(
    key: string,
    { now, ends, most }: { readonly now: number; readonly ends: number; readonly most: number },
  ): Promise<RateWindow | undefined> {
    return this.#db
      .insertInto('rate_windows')
      .values({ key, ends, used: 1 })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet(({ eb, ref }) => ({
            ends: eb
              .case()
              .when('rate_windows.ends', '<=', now)
              .then(ref('excluded.ends'))
              .else(ref('rate_windows.ends'))
              .end(),
            used: eb
              .case()
              .when('rate_windows.ends', '<=', now)
              .then(1)
              .else(eb('rate_windows.used', '+', 1))
              .end(),
          }))
          .where((eb) => eb.or([eb('rate_windows.ends', '<=', now), eb('rate_windows.used', '<', most)])),
      )
      .returning(['ends', 'used'])
      .executeTakeFirst();
  }

  /** The window that a key is in at `now`. */
  async find(key: string, now: number): Promise<RateWindow | undefined> {
    return this.#db
      .selectFrom('rate_windows')
      .select(['ends', 'used'])
      .where('key', '=', key)
      .where('ends', '>', now)
      .executeTakeFirst();
  }
}
