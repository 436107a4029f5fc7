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

  /** Rows changed since the database was opened, whether or not that was rolled back. */
  totalChanges(): number {
    const [row] = this.prepare('select total_changes() as changes').all([]) as { changes: number }[];
    return row?.changes ?? 0;
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
  const rowOf = rowReader(statement);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as Parameter[])).map(rowOf),
    run: (parameters) => statement.run(...(parameters as Parameter[])),
    *iterate(parameters) {
      for (const row of statement.iterate(...(parameters as Parameter[]))) yield rowOf(row);
    },
  };
}

/**
 * Rows are taken as arrays and made into objects here: those that native code makes property by property are slow to
 * make and slow to read, which doubles what a listing costs. Node before 22.16 has no rows as arrays.
 */
function rowReader(statement: StatementSyncInstance): (row: unknown) => unknown {
  if (!('setReturnArrays' in statement)) return (row) => row;
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = (values as readonly unknown[])[i];
    return row;
  };
}
