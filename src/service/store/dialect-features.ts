import type { RawBuilder } from 'kysely';

/** Everything the store does differently on SQLite and PostgreSQL. */
export interface DialectFeatures {
  /** A text column type that sorts and compares by bytes. */
  readonly byteText: RawBuilder<unknown>;
}
