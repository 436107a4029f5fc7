import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AUTH_TOKEN_HEADER,
  RATE_LIMIT_HEADER,
  RATE_REMAINING_HEADER,
  RATE_RESET_HEADER,
} from '../../contract/headers.ts';
import type { Caller } from './caller.ts';
import type { App } from './fastify-types.ts';
import { FieldSelector, selectFields } from './field-selector.ts';
import { hasImpossibleId } from './possible-id.ts';
import type { HasRateLimiter, RateState } from './rate-limiter.ts';
import type { HasRequestMetrics } from './request-metrics.ts';
import { ServiceError } from './service-error.ts';
import type { HasStats } from './service-stats.ts';

export interface HasAuthenticate {
  /** The owner of a token; undefined for a token that is not good. */
  readonly authenticate: (token: string) => Promise<Caller | undefined>;
}

/** The steps of every call of the API: counting, token, rate limit, `fields`. */
export function addApiHooks(
  app: App,
  services: HasAuthenticate & HasRateLimiter & HasStats & HasRequestMetrics,
): void {
  app.addHook('onRequest', async (request, reply) => {
    services.stats.apiCall(`${request.method} ${request.routeOptions.url ?? 'unknown'}`);
    const caller = await callerOf(request, services);
    if (caller !== undefined) {
      request.caller = caller;
      await countRequest(caller, { request, reply }, services);
    } else {
      announce(reply, await services.rateLimiter.peek(NOBODY));
      if (request.routeOptions.config.open !== true) {
        throw new ServiceError(
          90001,
          `The token in ${AUTH_TOKEN_HEADER} is missing, unknown, or has expired.`,
        );
      }
    }
    refuseImpossibleIds(request);
    request.selector = selectorOf(request);
  });
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, selectFields(request, payload));
  });
}

/** The rate of requests without a token is not limited, but announced as that of a caller who made none. */
const NOBODY = '';

/** Undefined when the call is open to all, or brings no good token. */
async function callerOf(
  request: FastifyRequest,
  { authenticate }: HasAuthenticate,
): Promise<Caller | undefined> {
  const token = tokenOf(request);
  if (token === undefined || request.routeOptions.config.open === true) return undefined;
  return authenticate(token);
}

async function countRequest(
  { tokenHash }: Caller,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { rateLimiter, metrics }: HasRateLimiter & HasRequestMetrics,
): Promise<void> {
  const state = await rateLimiter.count(tokenHash);
  announce(reply, state);
  if (!state.exceeded || request.routeOptions.config.evenPastLimit === true) return;
  metrics.rateLimitRefused();
  const until = new Date(state.reset * 1000).toISOString();
  throw new ServiceError(1000, `The rate limit of ${state.limit} requests is used up until ${until}.`);
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  const token = headers[AUTH_TOKEN_HEADER.toLowerCase()];
  if (typeof token === 'string' && token !== '') return token;
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function announce(reply: FastifyReply, { limit, remaining, reset }: RateState): void {
  void reply.headers({
    [RATE_LIMIT_HEADER]: limit,
    [RATE_REMAINING_HEADER]: remaining,
    [RATE_RESET_HEADER]: reset,
  });
}

/** The short name of an app is its installer's choice: what is wrong with it is the call's to say. @throws ServiceError 90003 */
function refuseImpossibleIds({ params }: FastifyRequest): void {
  const { app: _, ...ids } = (params ?? {}) as Record<string, unknown>;
  if (hasImpossibleId(ids)) throw new ServiceError(90003, 'An id is printable ASCII without spaces.');
}

function selectorOf(request: FastifyRequest): FieldSelector {
  const { fields } = request.query as { fields?: unknown };
  if (fields !== undefined && typeof fields !== 'string') {
    throw new ServiceError(90000, 'The query parameter fields was given more than once.');
  }
  return new FieldSelector(fields);
}
