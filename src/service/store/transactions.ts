import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { databaseFailure } from './database-failure.ts';
import type { DialectFeatures } from './dialect-features.ts';

/** How often a transaction may lose against others before it keeps them out, and how often in all. */
const ATTEMPTS_BESIDE_OTHERS = 5;
const ATTEMPTS_MAX = 10;
const PAUSE_MS = 20;

/**
 * Runs a transaction, serializable, and again when it had to give way to another: `work` must have no effect but in the
 * database. A unique value found taken counts as having to give way, since by the next attempt `work` can see it.
 *
 * A long transaction would lose for ever against many short ones. So after some attempts it first keeps all writers of
 * files out, as every transaction on SQLite does.
 */
export async function runTransaction<Db, Result>(
  { db, features }: { readonly db: Kysely<Db>; readonly features: DialectFeatures },
  work: (transaction: Kysely<Db>) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (transaction) => {
          if (attempt > ATTEMPTS_BESIDE_OTHERS) await features.keepWritersOut(transaction);
          return work(transaction);
        });
    } catch (error) {
      const failure = databaseFailure(error);
      if (attempt === ATTEMPTS_MAX || (failure !== 'conflict' && failure !== 'taken')) throw error;
      await clock.sleep(Math.random() * PAUSE_MS * attempt);
    }
  }
}
