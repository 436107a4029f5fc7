import type { Kysely, RawBuilder } from 'kysely';

/** Everything the store does differently on SQLite and PostgreSQL. */
export interface DialectFeatures {
  /** A text column type that sorts and compares by bytes. */
  readonly byteText: RawBuilder<unknown>;
  /** Put between `create` and `table` for a table that may be empty after a crash, and costs less for it. */
  readonly volatileTable: RawBuilder<unknown>;
  /** Whether a row can be locked for one transaction while others pass over it. */
  readonly rowLocks: boolean;
  /** Waits, as the first statement of a transaction, until no other can write what it is going to read. */
  readonly keepWritersOut: <Db>(transaction: Kysely<Db>) => Promise<void>;
  /** Removes from the files of a database what updates of a table have overwritten. Not inside a transaction. */
  readonly scrub: <Db>(db: Kysely<Db>, table: string) => Promise<void>;
  /** Does some work while no other process does that which it also does alone. */
  readonly alone: <Db>(db: Kysely<Db>, work: () => Promise<void>) => Promise<void>;
}
