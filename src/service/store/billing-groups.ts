import type { Kysely, Selectable } from 'kysely';
import type { BillingGroupsTable, Schema } from './schema.ts';

export type BillingGroupRow = Selectable<BillingGroupsTable>;

export class BillingGroupStore {
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
}
