import { type Kysely, type Selectable, sql } from 'kysely';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { BillingGroupsTable, Schema } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type BillingGroupRow = Selectable<BillingGroupsTable>;

export class BillingGroupTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(group: BillingGroupRow): Promise<void> {
    await this.#db.insertInto('billing_groups').values(group).execute();
  }

  async find(id: string): Promise<BillingGroupRow | undefined> {
    return this.#db.selectFrom('billing_groups').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** False when there is no such group. */
  async setOwner(id: string, owner: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('billing_groups')
      .set({ owner })
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** All groups, ordered by owner and name. */
  async all(): Promise<BillingGroupRow[]> {
    return this.#db
      .selectFrom('billing_groups')
      .selectAll()
      .orderBy('owner')
      .orderBy('name')
      .orderBy('id')
      .execute();
  }

  /** The group a new project of the user is billed to when nobody says. */
  async firstOf(owner: string): Promise<BillingGroupRow | undefined> {
    return this.#db
      .selectFrom('billing_groups')
      .selectAll()
      .where('owner', '=', owner)
      .where('disabled', '=', 0)
      .orderBy('created_on')
      .orderBy('id')
      .executeTakeFirst();
  }

  /** The groups a user owns, ordered by name, then id. */
  async list(owner: string, range: PageRange): Promise<RowPage<BillingGroupRow>> {
    const matching = this.#db.selectFrom('billing_groups').where('owner', '=', owner);
    const rows = await matching
      .selectAll()
      .orderBy('name')
      .orderBy('id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  /** All groups a user owns. */
  async ownedBy(owner: string): Promise<BillingGroupRow[]> {
    return this.#db
      .selectFrom('billing_groups')
      .selectAll()
      .where('owner', '=', owner)
      .orderBy('id')
      .execute();
  }
}

export const billingGroupsIn: (store: Store) => BillingGroupTable = table(
  ({ db }) => new BillingGroupTable(db),
);
