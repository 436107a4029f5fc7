import { type Kysely, type Migration, sql } from 'kysely';
import type { DialectFeatures } from '../dialect-features.ts';

/** The audit log, accounts that are disabled, and the facts that an operator wants to know of a token. */
export function audit({ byteText }: DialectFeatures): Migration {
  const text = sql`${byteText}`;
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable('users').addColumn('disabled_on', text).execute();
      await db.schema.alterTable('tokens').addColumn('note', text).execute();
      await db.schema.alterTable('tokens').addColumn('last_used_on', text).execute();
      await db.schema
        .createTable('audit_entries')
        .addColumn('at', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('request_id', text, (c) => c.notNull())
        .addColumn('username', text, (c) => c.notNull())
        .addColumn('token', text)
        .addColumn('address', text)
        .addColumn('action', text, (c) => c.notNull())
        .addColumn('object', text)
        .addColumn('status', 'integer', (c) => c.notNull())
        .addColumn('code', 'integer')
        .addColumn('detail', text)
        .addPrimaryKeyConstraint('audit_entries_pk', ['at', 'id'])
        .execute();
      const index = db.schema.createIndex('audit_by_user').on('audit_entries');
      await index.columns(['username', 'at']).execute();
      const byObject = db.schema.createIndex('audit_by_object').on('audit_entries');
      await byObject.columns(['object', 'at']).execute();
    },
  };
}
