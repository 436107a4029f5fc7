import type { Kysely, Selectable } from 'kysely';
import type { Schema, TokensTable } from './schema.ts';

type TokenRow = Selectable<TokensTable>;

export class TokenStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(token: TokenRow): Promise<void> {
    await this.#db.insertInto('tokens').values(token).execute();
  }

  /** The user of a token that is neither expired nor revoked at `now`. */
  async usernameOf(hash: string, now: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('tokens')
      .select('username')
      .where('hash', '=', hash)
      .where('revoked_on', 'is', null)
      .where((eb) => eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', now)]))
      .executeTakeFirst();
    return row?.username;
  }

  async revoke(hash: string, now: string): Promise<void> {
    await this.#db.updateTable('tokens').set({ revoked_on: now }).where('hash', '=', hash).execute();
  }
}
