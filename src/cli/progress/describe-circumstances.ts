import type { ConnectionStatus } from '../../api/transport/connection.ts';
import { AS_GOOD_AS_NONE } from '../describe/describe-status.ts';
import { minutes } from './describe-standing.ts';
import type { Standing } from './standing.ts';

type Connection = Pick<ConnectionStatus, 'rate' | 'unanswered'>;
type Circumstances = Pick<Standing, 'waits' | 'silence'>;

/** The conditions that calls wait for now: `rate limit resets in 2:10`. Undefined: nobody knows. */
export function circumstancesOf(connection: Connection | undefined, nowMs: number): Circumstances {
  if (connection === undefined) return { waits: [] };
  return { waits: rateWait(connection.rate, nowMs), silence: silenceOf(connection.unanswered) };
}

/** The same, and while nothing waits for the rate limit, what is left of that. */
export function circumstancesAndBudget(connection: Connection | undefined, nowMs: number): Circumstances {
  const { waits, silence } = circumstancesOf(connection, nowMs);
  const isWaiting = connection === undefined || waits.length > 0;
  return { waits: isWaiting ? waits : budget(connection.rate.window, nowMs), silence };
}

/** `412 of 1000 requests left, limit resets in 2:10`. */
function budget(window: Connection['rate']['window'], nowMs: number): readonly string[] {
  if (window === undefined || window === 'unlimited' || window.limit >= AS_GOOD_AS_NONE) return [];
  const { limit, remaining, resetMs } = window;
  const reset = resetMs === null ? '' : `, limit resets in ${minutes(resetMs - nowMs)}`;
  return [`${remaining} of ${limit} requests left${reset}`];
}

function rateWait({ window, waiting, calls, refused }: Connection['rate'], nowMs: number): readonly string[] {
  const count = Object.values(waiting).reduce((sum, each) => sum + each, refused.calls);
  if (count === 0) return [];
  const resetMs = typeof window === 'object' ? window.resetMs : null;
  const untilMs = Math.max(refused.untilMs ?? 0, resetMs ?? 0, ...calls.map((call) => call.untilMs ?? 0));
  return [
    untilMs > nowMs ? `rate limit resets in ${minutes(untilMs - nowMs)}` : 'waiting for the rate limit',
  ];
}

function silenceOf({ calls, sinceMs }: Connection['unanswered']): string | undefined {
  if (calls === 0 || sinceMs === null) return undefined;
  return `the service does not answer since ${new Date(sinceMs).toTimeString().slice(0, 5)}`;
}
