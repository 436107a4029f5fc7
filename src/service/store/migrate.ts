import { type Kysely, Migrator } from 'kysely';
import type { DialectFeatures } from './dialect-features.ts';
import { firstTables } from './migrations/001-first-tables.ts';
import { runsAndSpending } from './migrations/002-runs-and-spending.ts';
import { rateWindows } from './migrations/003-rate-windows.ts';
import { audit } from './migrations/004-audit.ts';

/** Brings the database to the newest schema. Forward only: an older service refuses a newer database. */
export async function migrate<Db>(db: Kysely<Db>, features: DialectFeatures): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => ({
        '001-first-tables': firstTables(features),
        '002-runs-and-spending': runsAndSpending(features),
        '003-rate-windows': rateWindows(features),
    '004-audit': audit(features),
      }),
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('the database cannot be migrated', { cause: error });
}
