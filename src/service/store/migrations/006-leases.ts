import { type Kysely, type Migration, sql } from 'kysely';
import type { DialectFeatures } from '../dialect-features.ts';

/** Work that one process at a time does for all. Jobs have leases of their own. */
export function leases({ byteText }: DialectFeatures): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('leases')
        .addColumn('name', sql`${byteText}`, (c) => c.notNull())
        .addColumn('holder', sql`${byteText}`, (c) => c.notNull())
        .addColumn('until', sql`${byteText}`, (c) => c.notNull())
        .addPrimaryKeyConstraint('leases_pk', ['name'])
        .execute();
      await db.schema.createIndex('uploads_by_age').on('uploads').column('initiated').execute();
    },
  };
}
