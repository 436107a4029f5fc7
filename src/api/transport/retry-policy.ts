/**
 * The decision after an exchange, as a pure function. Each call says in `src/api/resources` whether it takes effect once
 * (`whenLost`).
 *
 * | outcome                        | call may be repeated     | call takes effect once            |
 * |--------------------------------|--------------------------|-----------------------------------|
 * | never got to the server        | again, backing off       | again, backing off                |
 * | a stranger, from the beginning | settled                  | settled                           |
 * | a proxy said no                | settled                  | settled                           |
 * | connection lost, 500           | again, backing off       | `lost`: the caller looks first    |
 * | 502, 504, 520 to 527           | again, backing off       | `lost`: the caller looks first    |
 * | 503 without a platform's code  | again, backing off       | `lost`: the caller looks first    |
 * | 429                            | when the interval ends   | when the interval ends            |
 * | 503 code 0 (maintenance)       | after longer pauses      | after longer pauses               |
 * | other 503, 408, 409 code 8008  | again, backing off       | again, backing off                |
 * | anything else                  | settled                  | settled                           |
 */
import { backoffMs } from '../../lib/backoff.ts';
import { isGatewayFailure } from '../gateway-failure.ts';
import { errorCode } from '../parse/failure.ts';
import type { Answer, Call } from './call.ts';
import type { ExchangeError } from './exchange-error.ts';
import { LONGEST_WAIT_MS, rateWindowOf, USUAL_INTERVAL_MS } from './rate-window.ts';

export type Outcome = { readonly answer: Answer } | { readonly error: ExchangeError };

export type Decision =
  | { readonly kind: 'settled' }
  | { readonly kind: 'lost' }
  /** `rate`: waiting for the interval is no failure, and uses up no deadline. */
  | { readonly kind: 'again'; readonly inMs: number; readonly because: 'failure' | 'rate' };

export interface Attempt {
  /** Exchanges made for this call, this one included. */
  readonly tries: number;
  /** How many of them were answered with 500. */
  readonly faults: number;
  /** Whether the service has ever answered any call: else what does not prove to be it is a wrong address. */
  readonly everAnswered: boolean;
  /** By the service's clock. */
  readonly serverNowMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Between tries of a call that fails. */
export const BACKOFF = { baseMs: 250, capMs: 8000 };
const MAINTENANCE_BACKOFF = { baseMs: 2000, capMs: 20_000 };
/** After 429 at least: no header tells how long to wait, or it tells a moment that has passed. */
const RATE_BACKOFF = { baseMs: 1000, capMs: 30_000 };
const WITHOUT_JITTER = (): number => 1;
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
    const { isFinal, unproven } = outcome.error;
    if (isFinal || (unproven && !attempt.everAnswered)) return { kind: 'settled' };
    return outcome.error.mayHaveArrived ? unsure : again;
  }
  const { status, body } = outcome.answer;
  const code = errorCode(body);
  switch (status) {
    case 429:
      return { kind: 'again', inMs: ratePauseMs(outcome.answer, attempt), because: 'rate' };
    case 408:
      // It came too slowly, and was cut before all of it was there.
      return again;
    case 500:
      return attempt.faults < MAX_TRIES_ON_500 ? unsure : { kind: 'settled' };
    case 503:
      if (code === undefined) return unsure;
      return code === 0 ? { ...again, inMs: maintenancePauseMs(attempt) } : again;
    case 409:
      return code === PART_NOT_RESERVED ? again : { kind: 'settled' };
    default:
      return isGatewayFailure(status) ? unsure : { kind: 'settled' };
  }
}

function maintenancePauseMs({ tries }: Attempt): number {
  return backoffMs(tries - 1, MAINTENANCE_BACKOFF, WITHOUT_JITTER);
}

function ratePauseMs({ headers }: Answer, { tries, serverNowMs, random }: Attempt): number {
  const untilResetMs = (rateWindowOf(headers, serverNowMs)?.resetMs ?? 0) - serverNowMs;
  const pauseMs = Math.max(
    // A reset far away is left to the rate budget, which asks whether it is true.
    untilResetMs > USUAL_INTERVAL_MS ? 0 : untilResetMs,
    retryAfterMs(headers['retry-after'], serverNowMs),
    backoffMs(tries - 1, RATE_BACKOFF, WITHOUT_JITTER),
  );
  return pauseMs + 1000 * random();
}

/** The wait that `Retry-After` asks for: a number of seconds, or a date (RFC 9110, 10.2.3). 0 when it is absent. */
function retryAfterMs(value: string | undefined, serverNowMs: number): number {
  if (value === undefined) return 0;
  const ms = Number.isNaN(Number(value)) ? Date.parse(value) - serverNowMs : 1000 * Number(value);
  return Number.isNaN(ms) ? 0 : Math.min(ms, LONGEST_WAIT_MS);
}
