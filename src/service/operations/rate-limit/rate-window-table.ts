import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { RateWindowsTable, Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';

type RateWindow = Omit<Selectable<RateWindowsTable>, 'key'>;

/** Now, and when a window ends that begins now. */
interface WindowTimes {
  readonly now: number;
  readonly ends: number;
}

/** More than the clocks of processes are apart. */
const SKEW_MS = 60_000;

/** Requests counted in the database, so that all processes on it count together. */
export class RateWindowTable {
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
    { most, ...times }: WindowTimes & { readonly most: number },
  ): Promise<RateWindow | undefined> {
    const over = isOver(times);
    return this.#db
      .insertInto('rate_windows')
      .values({ key, ends: times.ends, used: 1 })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet(({ eb, ref }) => ({
            ends: eb.case().when(over).then(ref('excluded.ends')).else(ref('rate_windows.ends')).end(),
            used: eb
              .case()
              .when(over)
              .then(1)
              .else(eb('rate_windows.used', '+', 1))
              .end(),
          }))
          .where((eb) => eb.or([over, eb('rate_windows.used', '<', most)])),
      )
      .returning(['ends', 'used'])
      .executeTakeFirst();
  }

  /** The window that a key is in. */
  async find(key: string, times: WindowTimes): Promise<RateWindow | undefined> {
    return this.#db
      .selectFrom('rate_windows')
      .select(['ends', 'used'])
      .where('key', '=', key)
      .where((eb) => eb.not(isOver(times)))
      .executeTakeFirst();
  }
}

/** Whether a window is over. A window that ends later than any can is over too: it began before the clock was set back. */
function isOver({ now, ends }: WindowTimes): RawBuilder<SqlBool> {
  return sql<SqlBool>`(rate_windows.ends <= ${now} or rate_windows.ends > ${ends + SKEW_MS})`;
}

export const rateWindowsIn: (store: Store) => RateWindowTable = table(({ db }) => new RateWindowTable(db));
