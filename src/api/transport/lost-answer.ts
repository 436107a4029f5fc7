import { ApiError, TransportError } from '../errors.ts';
import { MAX_TRIES_ON_500 } from './retry-policy.ts';

/** A call that takes effect once may have arrived, and its answer did not come back. */
export class LostAnswer extends TransportError {}

/**
 * Makes a call that must not take effect twice. When its answer is lost, `look` says what became of it: its result,
 * or undefined when it never arrived and is to be sent again. No idempotency key exists in this API.
 *
 * A lost call may still be under way when `look` finds nothing; the repeated one is then refused because the first
 * took its name, so a refusal of a repeated call is looked into as well.
 *
 * `again` pauses before a repetition, and says when it is too late for one.
 */
export async function lookBeforeRepeating<T>(
  attempt: () => Promise<T>,
  look: () => Promise<T | undefined>,
  again: () => Promise<boolean>,
): Promise<T> {
  let faults = 0;
  for (let repeated = false; ; repeated = true) {
    try {
      return await attempt();
    } catch (error) {
      const lost = error instanceof LostAnswer;
      const refusedAgain = error instanceof ApiError && repeated;
      if (!lost && !refusedAgain) {
        throw repeated ? leftOpen(error) : error;
      }
      const found = await look().catch((failure: unknown) => Promise.reject(leftOpen(failure)));
      if (found !== undefined) {
        return found;
      }
      if (lost && error.answer === 'failed') {
        faults += 1;
      }
      if (refusedAgain || faults === MAX_TRIES_ON_500 || !(await again())) {
        throw error;
      }
    }
  }
}

/** Why it is not known what became of a call whose answer was lost: what failed after that says nothing of the call. */
function leftOpen(error: unknown): unknown {
  if (!(error instanceof TransportError) || error.mayHaveArrived) return error;
  const { message, call, cause, answer } = error;
  return new TransportError(message, { call, cause, answer });
}
