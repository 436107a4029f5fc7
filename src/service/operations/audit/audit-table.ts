import type { Kysely, Selectable } from 'kysely';
import type { AuditEntriesTable, Schema } from '../../store/schema.ts';
import { type Store, table } from '../../store/store.ts';

export type AuditRow = Selectable<AuditEntriesTable>;

/** Which entries; filters add up. */
export interface AuditQuery {
  readonly username?: string | undefined;
  readonly object?: string | undefined;
  /** An action, or a group of them: `file` is every `file.…`. */
  readonly action?: string | undefined;
  /** Stored times: from, and before. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

/** Rows of one statement: the databases take a limited number of parameters. */
const BATCH = 500;

/** The audit log. Entries are added, read, and after the time that the operator sets removed; never changed. */
export class AuditTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async append(entries: readonly AuditRow[]): Promise<void> {
    for (let from = 0; from < entries.length; from += BATCH) {
      await this.#db
        .insertInto('audit_entries')
        .values(entries.slice(from, from + BATCH))
        // A batch whose answer was lost is sent again.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  /** The newest first. */
  async list({ username, object, action, since, until, limit }: AuditQuery): Promise<AuditRow[]> {
    return this.#db
      .selectFrom('audit_entries')
      .selectAll()
      .$if(username !== undefined, (query) => query.where('username', '=', username ?? ''))
      .$if(object !== undefined, (query) => query.where('object', '=', object ?? ''))
      .$if(since !== undefined, (query) => query.where('at', '>=', since ?? ''))
      .$if(until !== undefined, (query) => query.where('at', '<', until ?? ''))
      .$if(action !== undefined, (query) =>
        // `/` is the character after `.`.
        query.where((eb) =>
          eb.or([
            eb('action', '=', action ?? ''),
            eb.and([eb('action', '>=', `${action}.`), eb('action', '<', `${action}/`)]),
          ]),
        ),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** Removes entries of before a time, about `limit` of them, and answers how many; fewer: there are no more. */
  async removeBefore(time: string, limit: number): Promise<number> {
    const last = await this.#db
      .selectFrom('audit_entries')
      .select('at')
      .where('at', '<', time)
      .orderBy('at')
      .offset(limit - 1)
      .limit(1)
      .executeTakeFirst();
    const { numDeletedRows } = await this.#db
      .deleteFrom('audit_entries')
      .where('at', '<', time)
      .$if(last !== undefined, (query) => query.where('at', '<=', last?.at ?? ''))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

export const auditIn: (store: Store) => AuditTable = table(({ db }) => new AuditTable(db));
