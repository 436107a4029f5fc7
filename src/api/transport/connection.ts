/**
 * The way of a call to the service. It passes these wrappers, outermost first; each is one file of this folder:
 *
 *   errors        refusals and lost exchanges become `ApiError` and `TransportError`
 *   retry         sends again what may be sent again, until a deadline
 *   renewal       sends once more when the token was refused and there is another by now
 *   rate budget   waits for room in the service's interval, by kind and program
 *   observer      reports each exchange to logs, metrics and the counters of `.svcfs/stats`
 *   identity      token, advance access and the words of the dialect; the token is seen here and below only
 *   HTTP          one exchange over kept-alive connections
 *
 * Retry is outside of the budget, so that every exchange is counted; the observer is outside of the identity, so
 * that no report can hold the token.
 */
import type { Dialect } from '../../contract/dialect.ts';
import type { Clock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import type { Throttle } from '../../lib/throttle.ts';
import type { Priority } from '../call-options.ts';
import { Network } from '../network/network.ts';
import { type Caller, callerOver } from './caller.ts';
import { ChangingIdentity, type IdentityChange } from './changing-identity.ts';
import { ClockSkew } from './clock-skew.ts';
import { httpSend } from './http-send.ts';
import { RateBudget, type RateSnapshot } from './rate-budget.ts';
import { RefusedCalls, type RefusedSnapshot } from './refused-calls.ts';
import { BACKOFF } from './retry-policy.ts';
import { ServerTime } from './server-time.ts';
import { UnansweredCalls, type UnansweredSnapshot } from './unanswered-calls.ts';
import { withErrors } from './with-errors.ts';
import { withIdentity } from './with-identity.ts';
import { type Exchange, withObserver } from './with-observer.ts';
import { withRateBudget } from './with-rate-budget.ts';
import { withRetry } from './with-retry.ts';

export interface ConnectionOptions {
  /** With the version: `http://host:port/v2`. */
  readonly endpoint: string;
  readonly token: string;
  readonly clock: Clock;
  /** Default: direct connections. */
  readonly network?: Network;
  readonly dialect?: Dialect;
  /** False: the dialect is a guess. Default true. */
  readonly dialectSettled?: boolean;
  /** Asked for tokens that were put in place of the one in use; once that was `refused`, in more places. */
  readonly newTokens?: (refused: boolean) => Promise<readonly string[]>;
  /** Told when the dialect is found out, and what became of another token. */
  readonly onIdentity?: (change: IdentityChange) => void;
  /** Told of every exchange, retries included. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Told when calls begin to wait for the next interval of the rate limit, and how long. */
  readonly onRateWait?: (ms: number) => void;
  /** Told when a call that was refused for the rate limit begins to sit that out, and how long. */
  readonly onRefused?: (ms: number) => void;
  /** Told when a call is sent again, and why: it failed, or was refused for the rate limit. */
  readonly onRetry?: (because: 'failure' | 'rate') => void;
  /** Told once, when the clocks of the service and of this machine differ by more than a minute: by how much the former is ahead. */
  readonly onClockSkew?: (aheadMs: number) => void;
  /** Of the bytes of files, over all calls. */
  readonly uploadLimit?: Throttle | undefined;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface ConnectionLimits {
  /** How long a call that keeps failing is tried. Default 60 s. */
  readonly timeoutMs: number;
  /** For one exchange. Default 20 s, at most `timeoutMs`. */
  readonly exchangeTimeoutMs: number;
  /** Default 24: a large listing asks for 16 pages at once, and others go on beside it. */
  readonly connections: number;
}

/** For `.svcfs/stats`. */
export interface ConnectionStatus {
  /** Exchanges by method and path with placeholders, retries included. */
  readonly calls: Readonly<Record<string, number>>;
  /** `waiting` in the budget, and `refused` by the service. */
  readonly rate: RateSnapshot & { readonly refused: RefusedSnapshot };
  /** Sent, and not answered yet. */
  readonly unanswered: UnansweredSnapshot;
  /** In whose words the service is asked. */
  readonly dialect: Dialect;
  /** By how much the service's clock is ahead of this machine's, or behind (negative); null: by no more than a minute. */
  readonly clockAheadMs: number | null;
}

export interface Connection {
  readonly call: Caller;
  readonly serverTime: ServerTime;
  hasRoom(priority: Priority): boolean;
  isSpent(): boolean;
  status(): ConnectionStatus;
  /** Calls that are under way, or wait, reject. */
  close(): Promise<void>;
}

const DEFAULT_LIMITS: ConnectionLimits = { timeoutMs: 60_000, exchangeTimeoutMs: 20_000, connections: 24 };

export function connect(options: ConnectionOptions): Connection {
  const { endpoint, token, clock, dialect = 'svc', dialectSettled = true, onExchange } = options;
  const { timeoutMs, exchangeTimeoutMs, connections } = { ...DEFAULT_LIMITS, ...options.limits };
  const closed = sharedAbortController();
  const serverTime = new ServerTime(clock);
  const budget = new RateBudget(clock, serverTime, { onWait: options.onRateWait });
  const skew = new ClockSkew(clock, options.onClockSkew);
  const refused = new RefusedCalls(clock, options.onRefused);
  const unanswered = new UnansweredCalls(clock);
  const counts = new CallCounts();
  const observer = (exchange: Exchange): void => {
    counts.add(exchange.name);
    onExchange?.(exchange);
  };

  const http = httpSend({
    endpoint,
    connections,
    timeoutMs,
    exchangeTimeoutMs: Math.min(exchangeTimeoutMs, timeoutMs),
    uploadLimit: options.uploadLimit,
    network: options.network ?? new Network(),
    closed: closed.signal,
  });
  const identity = new ChangingIdentity(
    { token, dialect, dialectSettled, newTokens: options.newTokens, onChange: options.onIdentity },
    clock,
  );
  const identified = withIdentity(http.send, () => identity.current);
  const observed = withObserver(identified, observer, clock);
  const budgeted = withRateBudget(skew.learningFrom(observed), budget, serverTime);
  const retried = withRetry(identity.renewing(budgeted), {
    clock,
    serverTime,
    refused,
    unanswered,
    timeoutMs,
    closed: closed.signal,
    onRetry: options.onRetry,
  });
  return {
    call: callerOver(
      withErrors(retried, new URL(endpoint).host),
      (ms = timeoutMs) => new Patience({ clock, timeoutMs: ms, backoff: BACKOFF }),
    ),
    serverTime,
    hasRoom: (priority) => budget.hasRoom(priority),
    isSpent: () => budget.isSpent(),
    status: () => ({
      calls: counts.snapshot(),
      rate: rateStatus(budget, refused),
      unanswered: unanswered.snapshot(),
      dialect: identity.current.dialect,
      clockAheadMs: skew.aheadMs,
    }),
    close: async () => {
      const reason = new Error('the client was closed');
      closed.abort(reason);
      budget.close(reason);
      await http.close();
    },
  };
}

function rateStatus(budget: RateBudget, refused: RefusedCalls): ConnectionStatus['rate'] {
  const { calls, ...rate } = budget.snapshot();
  return { ...rate, calls: [...refused.waits(), ...calls], refused: refused.snapshot() };
}

/** How many exchanges each call made. */
class CallCounts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
