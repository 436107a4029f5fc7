/**
 * The client. A call passes these wrappers, outermost first; each is one file of `transport/`:
 *
 *   errors        refusals and lost exchanges become `ApiError` and `TransportError`
 *   retry         sends again what may be sent again, until a deadline
 *   rate budget   waits for room in the service's interval, by priority
 *   observer      reports each exchange to logs, metrics and the counters of `.svcfs/stats`
 *   identity      token and advance access; the token is seen here and below only
 *   HTTP          one exchange over kept-alive connections
 *
 * Retry is outside of the budget, so that every exchange is counted; the observer is outside of the identity, so
 * that no report can hold the token.
 */
import type { Clock } from '../lib/clock.ts';
import type { Api } from './api.ts';
import type { Capability } from './model.ts';
import { asObject, textAt, textsAt } from './parse/wire.ts';
import { asyncFilesApi } from './resources/async-files.ts';
import { filesApi } from './resources/files.ts';
import { projectsApi } from './resources/projects.ts';
import { transfersApi } from './resources/transfers.ts';
import { uploadsApi } from './resources/uploads.ts';
import { volumesApi } from './resources/volumes.ts';
import { CallCounts } from './transport/call-counts.ts';
import { callerOver } from './transport/caller.ts';
import { DIALECTS, type DialectName } from './transport/dialect.ts';
import { httpSend } from './transport/http-send.ts';
import { RateBudget, type RateSnapshot } from './transport/rate-budget.ts';
import { ServerTime } from './transport/server-time.ts';
import { withErrors } from './transport/with-errors.ts';
import { withIdentity } from './transport/with-identity.ts';
import { type Exchange, withObserver } from './transport/with-observer.ts';
import { withRateBudget } from './transport/with-rate-budget.ts';
import { withRetry } from './transport/with-retry.ts';

export interface ApiOptions {
  /** With the version: `http://host:port/v2`. */
  readonly endpoint: string;
  readonly token: string;
  readonly clock: Clock;
  readonly dialect?: DialectName;
  /** Told of every exchange, retries included. */
  readonly onExchange?: (exchange: Exchange) => void;
  readonly limits?: Partial<ApiLimits>;
}

export interface ApiLimits {
  /** How long a call that keeps failing is tried. Default 60 s. */
  readonly timeoutMs: number;
  /** For one exchange. Default 20 s, at most `timeoutMs`. */
  readonly exchangeTimeoutMs: number;
  /** Default 16. */
  readonly connections: number;
}

/** For `.svcfs/stats`. */
export interface ApiStatus {
  /** Exchanges by method and path with placeholders, retries included. */
  readonly calls: Readonly<Record<string, number>>;
  readonly rate: RateSnapshot;
}

export interface ApiClient extends Api {
  status(): ApiStatus;
}

const DEFAULT_LIMITS: ApiLimits = { timeoutMs: 60_000, exchangeTimeoutMs: 20_000, connections: 16 };

export function createApi(options: ApiOptions): ApiClient {
  const { endpoint, token, clock, dialect = 'neutral', onExchange } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const serverTime = new ServerTime(clock);
  const budget = new RateBudget(clock, serverTime);
  const counts = new CallCounts();
  const http = httpSend({
    endpoint,
    connections: limits.connections,
    exchangeTimeoutMs: Math.min(limits.exchangeTimeoutMs, limits.timeoutMs),
  });
  const observer = (exchange: Exchange): void => {
    counts.add(exchange.name);
    onExchange?.(exchange);
  };

  const identified = withIdentity(http.send, { token, dialect: DIALECTS[dialect] });
  const budgeted = withRateBudget(withObserver(identified, observer, clock), budget, serverTime);
  const call = callerOver(
    withErrors(withRetry(budgeted, { clock, serverTime, timeoutMs: limits.timeoutMs })),
  );

  const files = filesApi(call, serverTime);
  let capabilities: Promise<ReadonlySet<Capability>> | undefined;
  return {
    projects: projectsApi(call),
    files,
    uploads: uploadsApi(call, async (place, callOptions) => {
      const entry = await files.find(place, callOptions);
      return entry?.kind === 'file' ? entry : undefined;
    }),
    volumes: volumesApi(call),
    transfers: transfersApi(call, serverTime),
    asyncFiles: asyncFilesApi(call, serverTime),

    whoAmI: (callOptions) =>
      call(
        { route: 'GET /user', parse: (body) => ({ username: textAt(asObject(body, 'user'), 'username') }) },
        callOptions,
      ),

    // Every caller waits with a signal of its own; the one question asked for all has none.
    capabilities: async (callOptions) => {
      callOptions?.signal?.throwIfAborted();
      capabilities ??= call({ route: 'GET /', parse: parseCapabilities });
      capabilities.catch(() => {
        capabilities = undefined;
      });
      return capabilities;
    },

    status: () => ({ calls: counts.snapshot(), rate: budget.snapshot() }),
    close: () => http.close(),
  };
}

/** Names that this client does not know are of no use to it, and do no harm. */
function parseCapabilities(body: unknown): ReadonlySet<Capability> {
  return new Set(textsAt(asObject(body, 'root'), 'capabilities') as readonly Capability[]);
}
