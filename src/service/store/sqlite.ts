import { open as openFile } from 'node:fs/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely';
import type { DialectFeatures } from './dialect-features.ts';
import { NodeSqliteDatabase } from './sqlite-database.ts';

const BUSY_TIMEOUT_MS = 5000;

/** SQLite compares text by bytes unless told otherwise. */
export const sqliteFeatures: DialectFeatures = {
  byteText: sql`text`,
  volatileTable: sql``,
  rowLocks: false,
  // Every transaction does, from its beginning.
  keepWritersOut: () => Promise.resolve(),
  scrub: async (db) => {
    await sql`vacuum`.execute(db);
    // With others at work the log is emptied only in part; it is when the last of them closes the database.
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
  },
  alone: (_db, work) => work(),
};

/** A text that is another once anything in the database is: by changes of our own, and those others committed. */
export async function sqliteChangeMark<Db>(db: Kysely<Db>): Promise<string> {
  const { rows } = await db.executeQuery<{ mark: string }>(CHANGE_MARK);
  return rows[0]?.mark ?? '';
}

const CHANGE_MARK = CompiledQuery.raw(
  "select total_changes() || ' ' || (select data_version from pragma_data_version) as mark",
);

/** Opens, or creates, the database file. WAL: readers and the one writer do not wait for each other. */
export async function sqliteDialect(file: string): Promise<Dialect> {
  const database = await open(file);
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  database.exec('pragma foreign_keys = on');
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return new ImmediateSqliteDialect(new NodeSqliteDatabase(database));
}

/** Node 22 brings the module along; on Node 20 the package of the same interface takes its place. */
async function open(file: string): Promise<DatabaseSyncInstance> {
  // Its owner's alone, and with it the files that SQLite lays beside it.
  await (await openFile(file, 'a', 0o600)).close();
  const builtIn = Number.parseInt(process.versions.node, 10) >= 22;
  const specifier = 'node:sqlite';
  const { DatabaseSync } = builtIn
    ? ((await import(specifier)) as typeof import('@photostructure/sqlite'))
    : await import('@photostructure/sqlite');
  return new DatabaseSync(file);
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: NodeSqliteDatabase;

  constructor(database: NodeSqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#database);
  }
}

/**
 * Transactions take the write lock when they begin. Begun the default way, two processes that read and then write
 * both fail with SQLITE_BUSY at once, whatever the busy timeout.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: NodeSqliteDatabase;

  constructor(database: NodeSqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Out of space, SQLite has rolled back itself; to fail here would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}
