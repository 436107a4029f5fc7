import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { Caller } from '../http/caller.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { hashToken } from './token-hash.ts';
import { tokensIn } from './token-table.ts';

/** A use of a token costs a write no more often than this. */
const USE_NOTED_EVERY_MS = 10 * 60_000;

/** The owner of a token; undefined for one that is unknown, has expired or was revoked. */
export async function authenticate(
  { store, clock, logger }: HasStore & HasClock & HasLogger,
  token: string,
): Promise<Caller | undefined> {
  const tokenHash = hashToken(token);
  const now = clock.now();
  const good = await tokensIn(store).findGood(tokenHash, storedTime(now));
  if (good === undefined) return undefined;
  const before = storedTime(now - USE_NOTED_EVERY_MS);
  if ((good.last_used_on ?? '') < before) {
    await tokensIn(store)
      .noteUse(tokenHash, { now: storedTime(now), before })
      .catch((err) => logger.warn({ err }, 'use of a token not noted'));
  }
  return { username: good.username, tokenHash, tokenExpires: good.expires_on };
}
