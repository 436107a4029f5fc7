import { join } from 'node:path';
import type { ServicesOptions } from './service-config.ts';
import { openPostgresStore, openSqliteStore, type Store } from './store/store.ts';

/** The database of a service: PostgreSQL where one is given, else a file in the data directory. */
export function openStore({
  databaseUrl,
  dataDir,
}: Pick<ServicesOptions, 'databaseUrl' | 'dataDir'>): Promise<Store> {
  return databaseUrl === undefined ? openSqliteStore(sqliteFile(dataDir)) : openPostgresStore(databaseUrl);
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'service.sqlite');
}
