import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import type { DialectFeatures } from '../dialect-features.ts';

type Db = Kysely<unknown>;

/** Projects, files, uploads, volumes, jobs, apps and tasks. */
export function firstTables(features: DialectFeatures): Migration {
  return {
    up: async (db: Db) => {
      await people(db, features);
      await projects(db, features);
      await files(db, features);
      await uploads(db, features);
      await volumes(db, features);
      await jobs(db, features);
      await appsAndTasks(db, features);
    },
  };
}

/** A table whose named columns are byte-compared text, not null. */
function table(db: Db, features: DialectFeatures, name: string, textColumns: string[]): TableBuilder {
  return textColumns.reduce<TableBuilder>(
    (builder, column) => builder.addColumn(column, sql`${features.byteText}`, (c) => c.notNull()),
    db.schema.createTable(name),
  );
}

type TableBuilder = CreateTableBuilder<string, string>;

/** Byte-compared text columns that may be null. */
function nullable(builder: TableBuilder, features: DialectFeatures, columns: string[]): TableBuilder {
  return columns.reduce<TableBuilder>(
    (table, column) => table.addColumn(column, sql`${features.byteText}`),
    builder,
  );
}

function flags(builder: TableBuilder, columns: string[]): TableBuilder {
  return columns.reduce<TableBuilder>(
    (table, column) => table.addColumn(column, 'integer', (c) => c.notNull().defaultTo(0)),
    builder,
  );
}

async function people(db: Db, features: DialectFeatures): Promise<void> {
  await table(db, features, 'users', ['username', 'email', 'profile', 'created_on'])
    .addPrimaryKeyConstraint('users_pk', ['username'])
    .addUniqueConstraint('users_email', ['email'])
    .execute();
  await nullable(table(db, features, 'tokens', ['hash', 'username', 'created_on']), features, [
    'expires_on',
    'revoked_on',
  ])
    .addPrimaryKeyConstraint('tokens_pk', ['hash'])
    .addForeignKeyConstraint('tokens_user', ['username'], 'users', ['username'])
    .execute();
  await flags(table(db, features, 'billing_groups', ['id', 'owner', 'name', 'type', 'created_on']), [
    'disabled',
  ])
    .addPrimaryKeyConstraint('billing_groups_pk', ['id'])
    .addForeignKeyConstraint('billing_groups_owner', ['owner'], 'users', ['username'])
    .execute();
}

async function projects(db: Db, features: DialectFeatures): Promise<void> {
  const text = ['id', 'owner', 'short_name', 'name', 'description', 'tags', 'settings', 'category'];
  await nullable(
    table(db, features, 'projects', [...text, 'root_folder', 'created_by', 'created_on', 'modified_on']),
    features,
    ['billing_group'],
  )
    .addPrimaryKeyConstraint('projects_pk', ['id'])
    .addForeignKeyConstraint('projects_owner', ['owner'], 'users', ['username'])
    .execute();
  await flags(table(db, features, 'project_members', ['project_id', 'username']), [
    'can_read',
    'can_write',
    'can_copy',
    'can_execute',
    'can_admin',
  ])
    .addPrimaryKeyConstraint('project_members_pk', ['project_id', 'username'])
    .addForeignKeyConstraint('project_members_project', ['project_id'], 'projects', ['id'], (c) =>
      c.onDelete('cascade'),
    )
    .addForeignKeyConstraint('project_members_user', ['username'], 'users', ['username'])
    .execute();
  await db.schema
    .createIndex('project_members_by_user')
    .on('project_members')
    .columns(['username', 'project_id'])
    .execute();
}

async function files(db: Db, features: DialectFeatures): Promise<void> {
  const text = ['id', 'project_id', 'kind', 'name', 'created_by', 'created_on', 'modified_on'];
  const absent = ['parent_id', 'blob_key', 'volume_id', 'location', 'etag', 'md5', 'origin_task', 'dataset'];
  await flags(nullable(table(db, features, 'files', text), features, absent), ['is_public', 'is_archived'])
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('files_pk', ['id'])
    .addForeignKeyConstraint('files_project', ['project_id'], 'projects', ['id'], (c) =>
      c.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('files_name').unique().on('files').columns(['parent_id', 'name']).execute();
  // Holds all that a page of a folder needs to find its ids: the table is read for the page's own rows only.
  await db.schema.createIndex('files_listing').on('files').columns(['parent_id', 'name', 'id']).execute();
  await db.schema.createIndex('files_by_project').on('files').column('project_id').execute();
  await db.schema.createIndex('files_by_blob').on('files').column('blob_key').execute();
  await db.schema.createIndex('files_by_volume').on('files').column('volume_id').execute();
  await table(db, features, 'file_metadata', ['file_id', 'key', 'value'])
    .addPrimaryKeyConstraint('file_metadata_pk', ['file_id', 'key'])
    .addForeignKeyConstraint('file_metadata_file', ['file_id'], 'files', ['id'], (c) => c.onDelete('cascade'))
    .execute();
  await table(db, features, 'file_tags', ['file_id', 'tag'])
    .addColumn('position', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('file_tags_pk', ['file_id', 'position'])
    .addForeignKeyConstraint('file_tags_file', ['file_id'], 'files', ['id'], (c) => c.onDelete('cascade'))
    .execute();
}

async function uploads(db: Db, features: DialectFeatures): Promise<void> {
  const text = ['id', 'project_id', 'parent_id', 'name', 'created_by', 'initiated', 'target'];
  await flags(nullable(table(db, features, 'uploads', text), features, ['md5']), ['overwrite'])
    .addColumn('size', 'bigint')
    .addColumn('part_size', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('uploads_pk', ['id'])
    .execute();
  await db.schema
    .createIndex('uploads_by_user')
    .on('uploads')
    .columns(['created_by', 'initiated', 'id'])
    .execute();
  await table(db, features, 'upload_parts', ['upload_id', 'etag'])
    .addColumn('part_number', 'integer', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('upload_parts_pk', ['upload_id', 'part_number'])
    .addForeignKeyConstraint('upload_parts_upload', ['upload_id'], 'uploads', ['id'], (c) =>
      c.onDelete('cascade'),
    )
    .execute();
  await table(db, features, 'blob_garbage', ['blob_key', 'since'])
    .addPrimaryKeyConstraint('blob_garbage_pk', ['blob_key'])
    .execute();
}

async function volumes(db: Db, features: DialectFeatures): Promise<void> {
  const text = ['id', 'owner', 'name', 'description', 'access_mode', 'service', 'created_on', 'modified_on'];
  await flags(nullable(table(db, features, 'volumes', text), features, ['secret']), ['active'])
    .addPrimaryKeyConstraint('volumes_pk', ['id'])
    .addForeignKeyConstraint('volumes_owner', ['owner'], 'users', ['username'])
    .execute();
  await flags(table(db, features, 'volume_members', ['volume_id', 'username']), [
    'can_read',
    'can_copy',
    'can_write',
    'can_admin',
  ])
    .addPrimaryKeyConstraint('volume_members_pk', ['volume_id', 'username'])
    .addForeignKeyConstraint('volume_members_volume', ['volume_id'], 'volumes', ['id'], (c) =>
      c.onDelete('cascade'),
    )
    .addForeignKeyConstraint('volume_members_user', ['username'], 'users', ['username'])
    .execute();
}

async function jobs(db: Db, features: DialectFeatures): Promise<void> {
  const absent = ['project_id', 'volume_id', 'result', 'error', 'started_on', 'finished_on', 'leased_by'];
  await nullable(
    table(db, features, 'jobs', ['id', 'kind', 'created_by', 'state', 'request', 'created_on']),
    features,
    [...absent, 'lease_until'],
  )
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('jobs_pk', ['id'])
    .execute();
  await db.schema
    .createIndex('jobs_listing')
    .on('jobs')
    .columns(['created_by', 'kind', 'created_on', 'id'])
    .execute();
  await db.schema.createIndex('jobs_to_do').on('jobs').columns(['state', 'created_on']).execute();
}

async function appsAndTasks(db: Db, features: DialectFeatures): Promise<void> {
  await flags(table(db, features, 'apps', ['id', 'project_id', 'name', 'created_on']), ['is_public'])
    .addColumn('latest_revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('apps_pk', ['id'])
    .addForeignKeyConstraint('apps_project', ['project_id'], 'projects', ['id'], (c) => c.onDelete('cascade'))
    .execute();
  await table(db, features, 'app_revisions', ['app_id', 'raw', 'created_by', 'created_on'])
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('app_revisions_pk', ['app_id', 'revision'])
    .addForeignKeyConstraint('app_revisions_app', ['app_id'], 'apps', ['id'], (c) => c.onDelete('cascade'))
    .execute();
  const text = ['id', 'project_id', 'name', 'status', 'app_id', 'created_by', 'created_on', 'details'];
  await table(db, features, 'tasks', text)
    .addColumn('app_revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('tasks_pk', ['id'])
    .addForeignKeyConstraint('tasks_project', ['project_id'], 'projects', ['id'], (c) =>
      c.onDelete('cascade'),
    )
    .execute();
}
