import { DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator, sql } from 'kysely';
import { messageOf } from '../../lib/message-of.ts';
import { isPassingFailure } from './database-failure.ts';
import type { DialectFeatures } from './dialect-features.ts';
import { firstTables } from './migrations/001-first-tables.ts';
import { runsAndSpending } from './migrations/002-runs-and-spending.ts';
import { rateWindows } from './migrations/003-rate-windows.ts';
import { audit } from './migrations/004-audit.ts';
import { chargesInMicros } from './migrations/005-charges-in-micros.ts';
import { leases } from './migrations/006-leases.ts';
import { aliasesByObject } from './migrations/007-aliases-by-object.ts';

/** Brings the database to the newest schema. Forward only: an older service refuses a newer database. */
export async function migrate<Db>(db: Kysely<Db>, features: DialectFeatures): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(features) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (isPassingFailure(error)) throw error;
  const newer = await newerMigration(db, features).catch(() => undefined);
  throw newer === undefined
    ? new Error(`the database cannot be migrated: ${messageOf(error)}`, { cause: error })
    : new Error(`the database is of a newer svcfs, which made the migration ${newer}`, { cause: error });
}

/** Whether every migration of this service has been made. One that is newer does no harm to this question. */
export async function hasAllMigrations<Db>(db: Kysely<Db>, features: DialectFeatures): Promise<boolean> {
  const made = new Set(await madeMigrations(db));
  return Object.keys(migrations(features)).every((name) => made.has(name));
}

/** One that this service does not know; undefined when it knows them all. */
async function newerMigration<Db>(db: Kysely<Db>, features: DialectFeatures): Promise<string | undefined> {
  const known = migrations(features);
  return (await madeMigrations(db)).find((name) => !(name in known));
}

async function madeMigrations<Db>(db: Kysely<Db>): Promise<readonly string[]> {
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(db);
  return rows.map(({ name }) => name);
}

function migrations(features: DialectFeatures): Record<string, Migration> {
  return {
    '001-first-tables': firstTables(features),
    '002-runs-and-spending': runsAndSpending(features),
    '003-rate-windows': rateWindows(features),
    '004-audit': audit(features),
    '005-charges-in-micros': chargesInMicros,
    '006-leases': leases(features),
    '007-aliases-by-object': aliasesByObject(),
  };
}
