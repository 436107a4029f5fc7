import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Schema, UsersTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type UserRow = Selectable<UsersTable>;

export class UserTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(user: Insertable<UsersTable>): Promise<void> {
    await this.#db.insertInto('users').values(user).execute();
  }

  async find(username: string): Promise<UserRow | undefined> {
    return this.#db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();
  }

  async findByEmail(email: string): Promise<UserRow | undefined> {
    return this.#db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  }

  /** By name. */
  async list(): Promise<UserRow[]> {
    return this.#db.selectFrom('users').selectAll().orderBy('username').execute();
  }

  /** @param disabledOn Null enables the user again. */
  async setDisabled(username: string, disabledOn: string | null): Promise<void> {
    await this.#db
      .updateTable('users')
      .set({ disabled_on: disabledOn })
      .where('username', '=', username)
      .execute();
  }

  async count(): Promise<number> {
    const { total } = await this.#db
      .selectFrom('users')
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  }
}

export const usersIn: (store: Store) => UserTable = table(({ db }) => new UserTable(db));
