import type { Clock } from '../../lib/clock.ts';
import { isUnsure } from '../errors.ts';
import { errorCode } from '../parse/failure.ts';
import { type Call, describeCall, type Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';
import { LostAnswer } from './lost-answer.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { decide, type Outcome } from './retry-policy.ts';
import type { ServerTime } from './server-time.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly serverTime: ServerTime;
  readonly refused: RefusedCalls;
  /** How long a call that keeps failing is tried, from its first failure. */
  readonly timeoutMs: number;
  /** Ends every pause. */
  readonly closed: AbortSignal;
  readonly random?: () => number;
}

/** How long one call sits out refusals, three intervals of the platform: past it, somebody else uses the whole limit. */
const RATE_PATIENCE_MS = 15 * 60_000;

/** Sends a call again as `retry-policy` decides, until it succeeds, is refused, or has failed for too long. */
export function withRetry(send: Send, options: RetryOptions): Send {
  const { clock, serverTime, refused, timeoutMs, closed, random = Math.random } = options;
  let everAnswered = false;
  return async (call) => {
    let deadlineMs: number | undefined;
    let ratePausesMs = 0;
    let mayHaveArrived = false;
    let faults = 0;
    for (let tries = 1; ; tries += 1) {
      const outcome = await attempt(send, call);
      everAnswered ||= 'answer' in outcome;
      mayHaveArrived ||= leavesOpen(outcome);
      if (isFault(outcome)) faults += 1;
      const serverNowMs = serverTime.now();
      const decision = decide(call, outcome, { tries, faults, everAnswered, serverNowMs, random });
      if (decision.kind === 'settled') {
        return settle(outcome, mayHaveArrived);
      }
      if (decision.kind === 'lost') {
        throw new LostAnswer(reasonOf(outcome), {
          call: describeCall(call),
          cause: 'error' in outcome ? outcome.error : undefined,
          answer: isFault(outcome) ? 'failed' : 'none',
        });
      }
      const interrupted = call.signal ? AbortSignal.any([call.signal, closed]) : closed;
      if (decision.because === 'rate') {
        if (ratePausesMs >= RATE_PATIENCE_MS) {
          return settle(outcome, mayHaveArrived);
        }
        ratePausesMs += decision.inMs;
        await refused.sitOut(decision.inMs, interrupted);
      } else {
        deadlineMs ??= clock.monotonic() + (call.timeoutMs ?? timeoutMs);
        const leftMs = deadlineMs - clock.monotonic();
        if (leftMs <= 0) {
          return settle(outcome, mayHaveArrived);
        }
        await clock.sleep(Math.min(decision.inMs, leftMs), interrupted);
      }
    }
  };
}

async function attempt(send: Send, call: Call): Promise<Outcome> {
  try {
    return { answer: await send(call) };
  } catch (error) {
    if (error instanceof ExchangeError) {
      return { error };
    }
    throw error;
  }
}

/** `mayHaveArrived`: with one of its tries. */
function settle(outcome: Outcome, mayHaveArrived: boolean): Awaited<ReturnType<Send>> {
  if ('error' in outcome) {
    const { message, cause, unproven } = outcome.error;
    throw new ExchangeError(message, { mayHaveArrived, unproven, cause });
  }
  return outcome.answer;
}

/** Whether the call may have been carried out, though nobody said so. */
function leavesOpen(outcome: Outcome): boolean {
  if ('error' in outcome) return outcome.error.mayHaveArrived;
  const { status, body } = outcome.answer;
  return isUnsure({ status, code: errorCode(body) });
}

function isFault(outcome: Outcome): boolean {
  return 'answer' in outcome && outcome.answer.status === 500;
}

function reasonOf(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error.message : `HTTP status ${outcome.answer.status}`;
}
