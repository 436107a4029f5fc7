/**
 * What to do after an exchange: a pure decision.
 *
 * | outcome                        | call may be repeated     | call takes effect once            |
 * |--------------------------------|--------------------------|-----------------------------------|
 * | never got to the server        | again, backing off       | again, backing off                |
 * | connection lost, 500, 502, 504 | again, backing off       | `lost`: the caller looks first    |
 * | 429                            | when the interval ends   | when the interval ends            |
 * | 503 code 0 (maintenance)       | after a long pause       | after a long pause                |
 * | other 503, 409 code 8008       | again, backing off       | again, backing off                |
 * | anything else                  | settled                  | settled                           |
 */
import { backoffMs } from '../../lib/backoff.ts';
import { errorCode } from '../parse/failure.ts';
import type { Answer, Call } from './call.ts';
import type { ExchangeError } from './exchange-error.ts';
import { rateWindowOf } from './rate-window.ts';

export type Outcome = { readonly answer: Answer } | { readonly error: ExchangeError };

export type Decision =
  | { readonly kind: 'settled' }
  | { readonly kind: 'lost' }
  /** `rate`: waiting for the interval is no failure, and uses up no deadline. */
  | { readonly kind: 'again'; readonly inMs: number; readonly because: 'failure' | 'rate' };

export interface Attempt {
  /** Exchanges made for this call, this one included. */
  readonly tries: number;
  /** By the service's clock. */
  readonly serverNowMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Between tries of a call that fails. */
export const BACKOFF = { baseMs: 250, capMs: 8000 };
const MAINTENANCE_PAUSE_MS = 20_000;
/** Without `X-RateLimit-Reset` nothing tells how long: a tenth of the platform's interval. */
const BLIND_RATE_PAUSE_MS = 30_000;
/** A fault of the server that comes every time will come the fifth time too. */
export const MAX_TRIES_ON_500 = 4;
/** No part could be reserved just now (undocumented-calls, section 3). */
const PART_NOT_RESERVED = 8008;

export function decide(call: Call, outcome: Outcome, attempt: Attempt): Decision {
  const again = {
    kind: 'again',
    inMs: backoffMs(attempt.tries - 1, BACKOFF, attempt.random),
    because: 'failure',
  } as const;
  const unsure = call.whenLost === 'repeat' ? again : ({ kind: 'lost' } as const);
  if ('error' in outcome) {
    return outcome.error.mayHaveArrived ? unsure : again;
  }
  const { status, body } = outcome.answer;
  switch (status) {
    case 429:
      return { kind: 'again', inMs: ratePauseMs(outcome.answer, attempt), because: 'rate' };
    case 500:
      return attempt.tries < MAX_TRIES_ON_500 ? unsure : { kind: 'settled' };
    case 502:
    case 504:
      return unsure;
    case 503:
      return errorCode(body) === 0 ? { ...again, inMs: MAINTENANCE_PAUSE_MS } : again;
    case 409:
      return errorCode(body) === PART_NOT_RESERVED ? again : { kind: 'settled' };
    default:
      return { kind: 'settled' };
  }
}

function ratePauseMs(answer: Answer, attempt: Attempt): number {
  const window = rateWindowOf(answer.headers);
  const untilResetMs = window ? Math.max(0, window.resetMs - attempt.serverNowMs) : BLIND_RATE_PAUSE_MS;
  return untilResetMs + 1000 * attempt.random();
}
