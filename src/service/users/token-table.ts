import type { Insertable, Kysely, Selectable } from 'kysely';
import { PreparedQuery } from '../store/prepared-query.ts';
import type { Schema, TokensTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type TokenRow = Selectable<TokensTable>;

/** The owner of a good token, and when its use was last noted. */
export type TokenUse = Pick<TokenRow, 'username' | 'last_used_on' | 'expires_on'>;

export class TokenTable {
  readonly #db: Kysely<Schema>;
  readonly #findGood: PreparedQuery<{ hash: string; now: string }, TokenUse>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    this.#findGood = new PreparedQuery(db, (on, of) =>
      on
        .selectFrom('tokens')
        .innerJoin('users', 'users.username', 'tokens.username')
        .select(['tokens.username', 'tokens.last_used_on', 'tokens.expires_on'])
        .where('hash', '=', of('hash'))
        .where('revoked_on', 'is', null)
        .where('users.disabled_on', 'is', null)
        .where((eb) => eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', of('now'))])),
    );
  }

  async insert(token: Insertable<TokensTable>): Promise<void> {
    await this.#db.insertInto('tokens').values(token).execute();
  }

  /** A token that at `now` is neither expired nor revoked, of a user who is not disabled. */
  async findGood(hash: string, now: string): Promise<TokenUse | undefined> {
    return this.#findGood.first({ hash, now });
  }

  /** Notes a use, unless one was noted since `before`. */
  async noteUse(
    hash: string,
    { now, before }: { readonly now: string; readonly before: string },
  ): Promise<void> {
    await this.#db
      .updateTable('tokens')
      .set({ last_used_on: now })
      .where('hash', '=', hash)
      .where((eb) => eb.or([eb('last_used_on', 'is', null), eb('last_used_on', '<', before)]))
      .execute();
  }

  /** All, or those of a user; the newest last. */
  async list(username?: string): Promise<TokenRow[]> {
    return this.#db
      .selectFrom('tokens')
      .selectAll()
      .$if(username !== undefined, (query) => query.where('username', '=', username ?? ''))
      .orderBy('username')
      .orderBy('created_on')
      .orderBy('hash')
      .execute();
  }

  /** Those whose hash begins so. */
  async findByPrefix(prefix: string): Promise<TokenRow[]> {
    return (
      this.#db
        .selectFrom('tokens')
        .selectAll()
        .where('hash', '>=', prefix)
        // No hexadecimal digit comes after `f`.
        .where('hash', '<', `${prefix}g`)
        .limit(2)
        .execute()
    );
  }

  /** A token that is revoked already keeps the time when it was. */
  async revoke(hash: string, now: string): Promise<void> {
    await this.#db
      .updateTable('tokens')
      .set({ revoked_on: now })
      .where('hash', '=', hash)
      .where('revoked_on', 'is', null)
      .execute();
  }
}

export const tokensIn: (store: Store) => TokenTable = table(({ db }) => new TokenTable(db));
