import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';

/** The processes that hold work which only one process at a time should do. */
export class LeaseTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** Takes the lease, or prolongs it for its holder, in one statement. False while another one has it. */
  async take(
    name: string,
    { holder, now, until }: { readonly holder: string; readonly now: string; readonly until: string },
  ): Promise<boolean> {
    const taken = await this.#db
      .insertInto('leases')
      .values({ name, holder, until })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ holder, until })
          .where((eb) => eb.or([eb('leases.until', '<=', now), eb('leases.holder', '=', holder)])),
      )
      .returning('name')
      .executeTakeFirst();
    return taken !== undefined;
  }
}

export const leasesIn: (store: Store) => LeaseTable = table(({ db }) => new LeaseTable(db));
