import { Kysely } from 'kysely';
import type { DialectFeatures } from './dialect-features.ts';
import { hasAllMigrations, migrate } from './migrate.ts';
import { type Connections, demandUtf8, postgresDialect, postgresFeatures } from './postgres.ts';
import type { Schema } from './schema.ts';
import { sqliteChangeMark, sqliteDialect, sqliteFeatures } from './sqlite.ts';
import { runTransaction } from './transactions.ts';

/** The connection that the statements of a table use. */
export interface Connection {
  readonly db: Kysely<Schema>;
  readonly features: DialectFeatures;
  /** Differs once the database has changed; undefined where that is not known, and inside a transaction. */
  readonly changeMark?: (() => Promise<string>) | undefined;
}

/** A part that works with the database. */
export interface HasStore {
  readonly store: Store;
}

/**
 * The database. Its tables stand with their subjects, which reach them by `table`. Inside a transaction use only the store
 * handed to it, and await nothing but the database: with SQLite there is one connection, and everyone else waits for it.
 */
export class Store {
  readonly connection: Connection;
  readonly #settled: () => Promise<void>;
  /** Of the pool to PostgreSQL; undefined on SQLite, and inside a transaction. */
  readonly connections: () => Connections | undefined;

  constructor(
    connection: Connection,
    beside: {
      readonly connections?: () => Connections;
      readonly settled?: () => Promise<void>;
    } = {},
  ) {
    this.connection = connection;
    this.#settled = beside.settled ?? (() => Promise.resolve());
    this.connections = beside.connections ?? (() => undefined);
  }

  /** All of `work` or nothing of it. `work` may be done again, and must have no effect but in the database. */
  async transaction<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    const { features } = this.connection;
    return runTransaction(this.connection, (db) => work(new Store({ db, features })));
  }

  /**
   * Resolves when everything that was read from the database is durable. Changes are durable when they are answered,
   * though other callers can read them before. A power failure must not take back an answer that has left the process.
   */
  async settled(): Promise<void> {
    await this.#settled();
  }

  /** Whether the database answers, and has every table and column that this service knows. */
  async isCurrent(): Promise<boolean> {
    return hasAllMigrations(this.connection.db, this.connection.features);
  }

  /** Removes from the files of the database what an update of volumes has overwritten. */
  async scrub(): Promise<void> {
    await this.connection.features.scrub(this.connection.db, 'volumes');
  }

  async close(): Promise<void> {
    await this.connection.db.destroy();
  }
}

/** Reaches a table of a store: one object for each store, made when it is first asked for. */
export function table<Table>(open: (connection: Connection) => Table): (store: Store) => Table {
  const opened = new WeakMap<Store, Table>();
  return (store) => {
    const known = opened.get(store) ?? open(store.connection);
    opened.set(store, known);
    return known;
  };
}

/** Opens the SQLite database in `file`, making or migrating it as needed. */
export async function openSqliteStore(file: string): Promise<Store> {
  const dialect = await sqliteDialect(file);
  const db = new Kysely<Schema>({ dialect });
  return openStore(db, sqliteFeatures, () => {
    const changeMark = (): Promise<string> => sqliteChangeMark(db);
    return new Store({ db, features: sqliteFeatures, changeMark }, { settled: () => dialect.settled() });
  });
}

/** Opens the PostgreSQL database of a connection URL, making or migrating the tables as needed. */
export async function openPostgresStore(url: string): Promise<Store> {
  const dialect = await postgresDialect(url);
  const db = new Kysely<Schema>({ dialect });
  return openStore(db, postgresFeatures, async () => {
    await demandUtf8(db);
    return new Store({ db, features: postgresFeatures }, { connections: () => dialect.connections() });
  });
}

async function openStore(
  db: Kysely<Schema>,
  features: DialectFeatures,
  open: () => Store | Promise<Store>,
): Promise<Store> {
  try {
    const store = await open();
    await features.alone(db, () => migrate(db, features));
    return store;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
