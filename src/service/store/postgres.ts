/**
 * PostgreSQL, 14 or later, as the store wants it.
 *
 * - A transaction is serializable: what it read is still so when it commits, or it is done again (transactions.ts). So
 *   rules like "look whether the name is free, then take it" hold on any number of connections, as they do on the one
 *   connection to SQLite. A statement by itself runs as PostgreSQL runs it by default, read committed.
 * - Numbers and flags arrive as from SQLite: `bigint` and sums as JavaScript numbers, booleans as 0 and 1.
 * - Errors are typed where they arise: `DatabaseError`.
 * - A connection that breaks is replaced by the pool when the next one is needed.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  sql,
} from 'kysely';
import type { Pool, PoolConfig } from 'pg';
import { DatabaseError } from './database-failure.ts';
import type { DialectFeatures } from './dialect-features.ts';
import { loadPg, type Pg } from './load-pg.ts';
import { postgresFailure } from './postgres-failure.ts';

/** Connections of one process; a transaction holds one, any other statement for its own time. */
const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5000;
/** A process that stands still in the middle of a transaction loses it, and its locks. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** A number of the service's own among those that lock a database for one process. */
const ALONE_LOCK = 7_382_461;

export const postgresFeatures: DialectFeatures = {
  byteText: sql`text collate "C"`,
  volatileTable: sql`unlogged`,
  rowLocks: true,
  // A LOCK statement takes no snapshot: what the transaction then reads is what the others left.
  keepWritersOut: async (transaction) => {
    await sql`lock table files, file_metadata, file_tags in share row exclusive mode`.execute(transaction);
  },
  scrub: async (db, table) => {
    await sql`vacuum (full) ${sql.table(table)}`.execute(db);
  },
  // The lock ends with the connection, should the process die.
  alone: (db, work) =>
    db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${ALONE_LOCK})`.execute(connection);
      try {
        await work();
      } finally {
        await sql`select pg_advisory_unlock(${ALONE_LOCK})`.execute(connection);
      }
    }),
};

/** Other encodings cannot hold every name. @throws Error */
export async function demandUtf8<Db>(db: Kysely<Db>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${encoding}`);
}

/**
 * Connections tell of whom they are in `pg_stat_activity`, and are kept alive through firewalls. Pages are planned with as
 * on solid-state disks: with the default, made for moving heads, a folder is read whole and sorted for each of its pages.
 */
export function connectionConfig(url: string): PoolConfig {
  return {
    connectionString: url,
    application_name: 'svcfs',
    options: '-c random_page_cost=1.1',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  };
}

/**
 * A connection that breaks is dropped by the pool, and its query is told. It also emits an error, idle or not, which would
 * end the process if nobody listened.
 */
export function openPool(pg: Pg, config: PoolConfig): Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export async function postgresDialect(url: string): Promise<StoreDialect> {
  const pg = await loadPg();
  const pool = openPool(pg, {
    ...connectionConfig(url),
    max: POOL_SIZE,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    types: { getTypeParser: (oid, format) => typeParser(pg, oid, format) },
  });
  return new StoreDialect(pool);
}

function typeParser(pg: Pg, oid: number, format: unknown): (text: string) => unknown {
  const { builtins, getTypeParser } = pg.types;
  switch (oid) {
    case builtins.INT8:
    case builtins.NUMERIC:
      return safeNumber;
    case builtins.BOOL:
      return (text) => (text === 't' ? 1 : 0);
    default:
      return getTypeParser(oid, format as 'text');
  }
}

function safeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`${text} is beyond the integers that a number holds exactly`);
  }
  return number;
}

/** Connections of a pool, by what they do; `waiting` counts the statements that wait for one. */
export interface Connections {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

export class StoreDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new StoreDriver({ pool: this.#pool });
  }

  connections(): Connections {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}

class StoreDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return new StoreConnection(await super.acquireConnection().catch(throwTyped));
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { inner } = connection as StoreConnection;
    return super.releaseConnection(inner as Parameters<PostgresDriver['releaseConnection']>[0]);
  }
}

class StoreConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.inner.executeQuery<Row>(findable(query)).catch(throwTyped);
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery<Row>(query, chunkSize);
  }
}

/**
 * No text in PostgreSQL has a NUL, and to look for one is an error there. Such a search finds nothing: the NUL is
 * replaced as half a surrogate pair is, which UTF-8 does not have either.
 */
function findable(query: CompiledQuery): CompiledQuery {
  if (query.query.kind !== 'SelectQueryNode') return query;
  const parameters = query.parameters.map((value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
  );
  return { ...query, parameters };
}

function throwTyped(error: unknown): never {
  const failure = postgresFailure(error);
  throw failure === undefined ? error : new DatabaseError(failure, error);
}
