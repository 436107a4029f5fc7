import { type Kysely, type Migration, sql } from 'kysely';
import type { DialectFeatures } from '../dialect-features.ts';

/** Requests counted over all processes. Written with every request, and not worth more after a crash than nothing. */
export function rateWindows({ byteText, volatileTable }: DialectFeatures): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('rate_windows')
        .modifyFront(volatileTable)
        .addColumn('key', sql`${byteText}`, (c) => c.notNull())
        .addColumn('ends', 'bigint', (c) => c.notNull())
        .addColumn('used', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('rate_windows_pk', ['key'])
        .execute();
    },
  };
}
