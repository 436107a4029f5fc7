import type { Clock } from '../../lib/clock.ts';
import { isUnsure } from '../errors.ts';
import { errorCode } from '../parse/failure.ts';
import { type Call, describeCall, type Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';
import { LostAnswer } from './lost-answer.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { decide, type Outcome } from './retry-policy.ts';
import type { ServerTime } from './server-time.ts';
import type { PendingCall, UnansweredCalls } from './unanswered-calls.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly serverTime: ServerTime;
  readonly refused: RefusedCalls;
  readonly unanswered: UnansweredCalls;
  /** How long a call is tried that gets no answer: its exchanges and the pauses between them, and not what it waits for the rate limit. */
  readonly timeoutMs: number;
  /** Ends every pause. */
  readonly closed: AbortSignal;
  readonly random?: () => number;
  /** Told when a call is about to be sent again. */
  readonly onRetry?: ((because: 'failure' | 'rate') => void) | undefined;
}

/** The end of a call's time is kept for one more try, however long its pauses are. */
const LAST_TRY_MS = 1000;
/** How long one call sits out refusals, three intervals of the platform: past it, somebody else uses the whole limit. */
const RATE_PATIENCE_MS = 15 * 60_000;

/** Sends a call again as `retry-policy` decides, until it succeeds, is refused, or has failed for too long. */
export function withRetry(send: Send, options: RetryOptions): Send {
  const { clock, serverTime, refused, unanswered, timeoutMs, closed, random = Math.random } = options;
  let everAnswered = false;
  const sendUntil = async (call: Call, pending: PendingCall): ReturnType<Send> => {
    const limitMs = call.timeoutMs ?? timeoutMs;
    let spentMs = 0;
    let isLastTry = false;
    let ratePausesMs = 0;
    let mayHaveArrived = false;
    let faults = 0;
    for (let tries = 1; ; tries += 1) {
      const leftForIt = limitMs - spentMs;
      const { outcome, tookMs } = await attempt(send, { ...call, timeoutMs: leftForIt }, clock, () =>
        pending.sent(leftForIt, call.heldBackMs),
      );
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
          spentMs: spentMs + tookMs,
        });
      }
      const interrupted = call.signal ? AbortSignal.any([call.signal, closed]) : closed;
      if (decision.because === 'rate') {
        if (ratePausesMs >= RATE_PATIENCE_MS) {
          return settle(outcome, mayHaveArrived);
        }
        ratePausesMs += decision.inMs;
        pending.rests();
        const unsent = mayHaveArrived ? undefined : call.untilSent;
        await refused.sitOut(decision.inMs, unsent ? AbortSignal.any([interrupted, unsent]) : interrupted);
      } else {
        const leftMs = limitMs - spentMs - tookMs;
        if (isLastTry || leftMs <= 0) {
          return settle(outcome, mayHaveArrived);
        }
        const untilLastMs = Math.max(0, leftMs - Math.min(LAST_TRY_MS, limitMs / 4));
        isLastTry = decision.inMs >= untilLastMs;
        const pauseMs = isLastTry ? untilLastMs : decision.inMs;
        spentMs += tookMs + pauseMs;
        await clock.sleep(pauseMs, interrupted);
      }
      options.onRetry?.(decision.because);
    }
  };
  return (call) => unanswered.during((pending) => sendUntil(call, pending));
}

interface Tried {
  readonly outcome: Outcome;
  /** Of the exchange alone, without what the service held back on purpose. */
  readonly tookMs: number;
}

async function attempt(send: Send, call: Call, clock: Clock, onSent: () => void): Promise<Tried> {
  let beganMs = clock.monotonic();
  const onSending = (): void => {
    beganMs = clock.monotonic();
    onSent();
  };
  const tried = (outcome: Outcome): Tried => {
    const tookMs = clock.monotonic() - beganMs - (call.heldBackMs ?? 0);
    return { outcome, tookMs: Math.max(0, tookMs) };
  };
  try {
    return tried({ answer: await send({ ...call, onSending }) });
  } catch (error) {
    if (error instanceof ExchangeError) return tried({ error });
    throw error;
  }
}

/** `mayHaveArrived`: with one of its tries. */
function settle(outcome: Outcome, mayHaveArrived: boolean): Awaited<ReturnType<Send>> {
  if ('error' in outcome) {
    const { message, cause, unproven, isFinal } = outcome.error;
    throw new ExchangeError(message, { mayHaveArrived, unproven, isFinal, cause });
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
