import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import type { DialectFeatures } from '../dialect-features.ts';

type Db = Kysely<unknown>;

/** The tables and indexes for running tasks, copying and searching apps, and billing. */
export function runsAndSpending(features: DialectFeatures): Migration {
  return {
    up: async (db: Db) => {
      await apps(db);
      await tasks(db);
      await charges(db, features);
    },
  };
}

/** SQLite adds one column at a time. */
async function addText(db: Db, table: string, columns: readonly string[]): Promise<void> {
  for (const column of columns) await db.schema.alterTable(table).addColumn(column, 'text').execute();
}

async function apps(db: Db): Promise<void> {
  await addText(db, 'apps', ['search_text', 'copy_of']);
  await db.schema.alterTable('apps').addColumn('copy_of_revision', 'integer').execute();
  await addText(db, 'app_revisions', ['notes']);
  // Until its next revision, an app from before is found by its name alone.
  await sql`update apps set search_text = lower(name)`.execute(db);
}

async function tasks(db: Db): Promise<void> {
  await addText(db, 'tasks', ['executed_by', 'start_time', 'end_time', 'parent_id', 'origin_id']);
  await db.schema
    .alterTable('tasks')
    .addColumn('is_batch', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('tasks_by_project')
    .on('tasks')
    .columns(['project_id', 'created_on', 'id'])
    .execute();
  await db.schema.createIndex('tasks_by_parent').on('tasks').column('parent_id').execute();
}

async function charges(db: Db, { byteText }: DialectFeatures): Promise<void> {
  const text = ['task_id', 'project_id', 'project_name', 'task_name', 'app_name', 'ran_by', 'status'];
  await [...text, 'time_started', 'amount', 'refunded']
    .reduce<CreateTableBuilder<string, string>>(
      (table, column) => table.addColumn(column, sql`${byteText}`, (c) => c.notNull()),
      db.schema.createTable('charges').addColumn('billing_group', 'text').addColumn('time_finished', 'text'),
    )
    .addPrimaryKeyConstraint('charges_pk', ['task_id'])
    .execute();
  await db.schema
    .createIndex('charges_by_group')
    .on('charges')
    .columns(['billing_group', 'time_started', 'task_id'])
    .execute();
  await db.schema.createIndex('projects_by_billing_group').on('projects').column('billing_group').execute();
}
