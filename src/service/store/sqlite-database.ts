import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

const STATEMENTS_KEPT = 256;

/**
 * The `node:sqlite` interface in the shape Kysely's SQLite driver wants, which is better-sqlite3's: parameters as one
 * array, and statements that say whether they return rows. Prepared statements are kept by their text.
 */
export class NodeSqliteDatabase implements SqliteDatabase {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = adapt(this.#database.prepare(sql));
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

type Parameter = Parameters<StatementSyncInstance['all']>[0];

function adapt(statement: StatementSyncInstance): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as Parameter[])),
    run: (parameters) => statement.run(...(parameters as Parameter[])),
    iterate: (parameters) => statement.iterate(...(parameters as Parameter[])),
  };
}
