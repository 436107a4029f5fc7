import { open as openFile } from 'node:fs/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely';
import type { DialectFeatures } from './dialect-features.ts';
import { NodeSqliteDatabase } from './sqlite-database.ts';
import { SqliteDurability } from './sqlite-durability.ts';

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
export async function sqliteDialect(file: string): Promise<DurableSqliteDialect> {
  const database = await open(file);
  const mode = database.prepare('pragma journal_mode = wal').get() as { journal_mode: string };
  const hasLog = mode.journal_mode === 'wal';
  // SqliteDurability makes commits durable. On file systems where SQLite cannot keep a log, SQLite does it itself.
  database.exec(`pragma synchronous = ${hasLog ? 'normal' : 'full'}`);
  database.exec('pragma foreign_keys = on');
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // The log is there once something was read.
  database.exec('select count(*) from sqlite_schema');
  return new DurableSqliteDialect(
    new NodeSqliteDatabase(database),
    new SqliteDurability(hasLog ? file : undefined),
  );
}

/** Node 22 brings the module along; on Node 20 the package of the same interface takes its place. */
async function open(file: string): Promise<DatabaseSyncInstance> {
  // Its owner's alone, and with it the files that SQLite lays beside it.
  await (await openFile(file, 'a', 0o600)).close();
  const builtIn = Number.parseInt(process.versions.node, 10) >= 22;
  const { DatabaseSync } = builtIn ? await importBuiltIn() : await import('@photostructure/sqlite');
  return new DatabaseSync(file);
}

/** Node 22 warns as it loads the module that it is experimental. That is nothing for the terminal of a user. */
async function importBuiltIn(): Promise<typeof import('@photostructure/sqlite')> {
  const { emitWarning } = process;
  process.emitWarning = (...[warning, about]: unknown[]): void => {
    if (about !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, about]);
  };
  try {
    const specifier = 'node:sqlite';
    return await import(specifier);
  } finally {
    process.emitWarning = emitWarning;
  }
}

export class DurableSqliteDialect extends SqliteDialect {
  readonly #database: NodeSqliteDatabase;
  readonly #durability: SqliteDurability;

  constructor(database: NodeSqliteDatabase, durability: SqliteDurability) {
    super({ database });
    this.#database = database;
    this.#durability = durability;
  }

  override createDriver(): Driver {
    return new DurableSqliteDriver(this.#database, this.#durability);
  }

  /** Resolves when everything that can be read is durable: others may have committed it just now, and wait themselves. */
  settled(): Promise<void> {
    return this.#durability.settled();
  }
}

/**
 * The connection of a caller that changed something is released only when the change is durable; others have it
 * meanwhile.
 *
 * Transactions take the write lock when they begin. Begun the default way, two processes that read and then write both
 * fail with SQLITE_BUSY at once, whatever the busy timeout.
 */
class DurableSqliteDriver extends SqliteDriver {
  readonly #database: NodeSqliteDatabase;
  readonly #durability: SqliteDurability;
  #changes = 0;

  constructor(database: NodeSqliteDatabase, durability: SqliteDurability) {
    super({ database });
    this.#database = database;
    this.#durability = durability;
  }

  override async init(): Promise<void> {
    await super.init();
    await this.#durability.open();
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#durability.check();
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    const changes = this.#database.totalChanges();
    const changed = changes !== this.#changes;
    this.#changes = changes;
    if (changed) this.#durability.note();
    await super.releaseConnection();
    if (changed) await this.#durability.settled();
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#durability.close();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Out of space, SQLite has rolled back itself; to fail here would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}
