import type { Kysely, Selectable } from 'kysely';
import type { AppRevisionsTable, AppsTable, Schema } from './schema.ts';

/** Apps and their revisions. */
export class AppStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** A new app with its first revision. */
  async insert(app: Selectable<AppsTable>, revision: Selectable<AppRevisionsTable>): Promise<void> {
    await this.#db.insertInto('apps').values(app).execute();
    await this.#db.insertInto('app_revisions').values(revision).execute();
  }
}
