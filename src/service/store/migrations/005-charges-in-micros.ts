import { type Kysely, type Migration, sql } from 'kysely';

const COLUMNS = ['amount', 'refunded'] as const;

/** Amounts as whole millionths, which the database can add up exactly; the index has all that an invoice needs. */
export const chargesInMicros: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.dropIndex('charges_by_group').execute();
    for (const column of COLUMNS) {
      const micros = `${column}_micros`;
      await db.schema
        .alterTable('charges')
        .addColumn(micros, 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      const value = sql`cast(round(cast(${sql.ref(column)} as numeric) * 1000000) as bigint)`;
      await sql`update charges set ${sql.ref(micros)} = ${value}`.execute(db);
      await db.schema.alterTable('charges').dropColumn(column).execute();
    }
    await db.schema
      .createIndex('charges_by_group')
      .on('charges')
      .columns(['billing_group', 'time_started', 'task_id', 'amount_micros'])
      .execute();
  },
};
