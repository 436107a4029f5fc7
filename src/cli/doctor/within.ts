import { systemClock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/message-of.ts';
import { type Finding, unknown } from '../finding.ts';

/** What a look found, unless it fails or takes too long: then that. Never rejects. */
export async function within(
  check: string,
  ms: number,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const over = new AbortController();
  const late = systemClock
    .sleep(ms, over.signal)
    .then(() => [unknown(check, `not known: nothing was found out within ${ms / 1000} s`)]);
  try {
    return await Promise.race([look(), late]);
  } catch (error) {
    return [unknown(check, `not known: ${messageOf(error)}`)];
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}
