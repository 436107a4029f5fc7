import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AUTH_TOKEN_HEADER,
  RATE_LIMIT_HEADER,
  RATE_REMAINING_HEADER,
  RATE_RESET_HEADER,
} from '../../contract/headers.ts';
import { storedTime } from '../api-time.ts';
import type { RateState } from '../rate-limit/rate-limiter.ts';
import { FieldSelector } from '../rules/field-selector.ts';
import { hashToken } from '../rules/token-hash.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { App } from './fastify-types.ts';
import { selectFields } from './select-fields.ts';

/** What every call of the API goes through: counting, token, rate limit, `fields`. */
export function addApiHooks(app: App, services: Services): void {
  const { stats, rateLimiter } = services;
  app.addHook('onRequest', async (request, reply) => {
    stats.apiCall(`${request.method} ${request.routeOptions.url ?? 'unknown'}`);
    announce(reply, await rateLimiter.peek(''));
    if (request.routeOptions.config.open !== true) await admit(request, reply, services);
    request.selector = selectorOf(request);
  });
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, selectFields(request, payload));
  });
}

/** Knows the caller by the token and counts the call against the caller's limit. */
async function admit(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<void> {
  const { store, rateLimiter, clock } = services;
  const token = tokenOf(request);
  if (token === undefined) throw new ServiceError(90001, `The header ${AUTH_TOKEN_HEADER} is missing.`);
  const tokenHash = hashToken(token);
  const username = await store.tokens.usernameOf(tokenHash, storedTime(clock.now()));
  if (username === undefined) throw new ServiceError(90001, 'The token is unknown, revoked, or has expired.');
  request.caller = { username, tokenHash };
  const state = await rateLimiter.count(tokenHash);
  announce(reply, state);
  if (state.exceeded) {
    const until = new Date(state.reset * 1000).toISOString();
    throw new ServiceError(1000, `The rate limit of ${state.limit} requests is used up until ${until}.`);
  }
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

function selectorOf(request: FastifyRequest): FieldSelector {
  const { fields } = request.query as { fields?: unknown };
  if (fields !== undefined && typeof fields !== 'string') {
    throw new ServiceError(90000, 'The query parameter fields was given more than once.');
  }
  return new FieldSelector(fields);
}
