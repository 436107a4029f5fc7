import type { CallOptions } from '../call-options.ts';
import { ApiError, TransportError } from '../errors.ts';
import { MAX_TRIES_ON_500 } from './retry-policy.ts';

/** A call that takes effect once may have arrived, and its answer did not come back. */
export class LostAnswer extends TransportError {
  /** How long the call was tried. */
  readonly spentMs: number;

  constructor(
    reason: string,
    options: ConstructorParameters<typeof TransportError>[1] & { readonly spentMs?: number },
  ) {
    super(reason, options);
    this.spentMs = options.spentMs ?? 0;
  }
}

/** The time for a call that is looked for, and repeated. */
export interface Repetition {
  /** Of a call that fits in what is left of it. */
  options(): CallOptions;
  /** The time began so long ago, if nothing was said of it before. */
  spent(ms: number): void;
  /** Pauses before a repetition, and says when it is too late for one. */
  again(): Promise<boolean>;
}

/**
 * Makes a call that must not take effect twice. When its answer is lost, `look` says what became of it: its result,
 * or undefined when it never arrived and is to be sent again. No idempotency key exists in this API.
 *
 * A lost call may still be under way when `look` finds nothing; the repeated one is then refused because the first
 * took its name, so a refusal of a repeated call is looked into as well.
 *
 * All tries and looks together take no longer than `repetition` allows.
 */
export async function lookBeforeRepeating<T>(
  attempt: (options: CallOptions) => Promise<T>,
  look: (options: CallOptions) => Promise<T | undefined>,
  repetition: Repetition,
): Promise<T> {
  let faults = 0;
  for (let repeated = false; ; repeated = true) {
    try {
      return await attempt(repetition.options());
    } catch (error) {
      const lost = error instanceof LostAnswer;
      const refusedAgain = error instanceof ApiError && repeated;
      if (!lost && !refusedAgain) {
        throw repeated ? leftOpen(error) : error;
      }
      if (lost) repetition.spent(error.spentMs);
      const found = await look(repetition.options()).catch((failure: unknown) =>
        Promise.reject(leftOpen(failure)),
      );
      if (found !== undefined) {
        return found;
      }
      if (lost && error.answer === 'failed') {
        faults += 1;
      }
      if (refusedAgain || faults === MAX_TRIES_ON_500 || !(await repetition.again())) {
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
