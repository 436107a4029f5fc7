import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HasClock } from '../../../lib/clock.ts';
import type { App } from '../../http/fastify-types.ts';
import { hasImpossibleId } from '../../http/possible-id.ts';
import { API_PREFIX } from '../../http/request-view.ts';
import { actsOfCall } from './acts-of-call.ts';
import { tokenIdOf } from './audit-entry.ts';
import type { HasAuditTrail } from './audit-trail.ts';
import { AUDITED_CALLS } from './audited-calls.ts';

const TOO_MANY_REQUESTS = 429;

/**
 * Records calls in the audit log when they have been answered. Add it before hooks that change answers: the log wants to
 * see the whole answer.
 *
 * Some requests are not heard at all: those without a good token, over the rate limit, or about an id that nothing can
 * have. These are in the process's own log only, so that they cannot fill the database.
 */
export function addAuditHooks(app: App, { auditTrail, clock }: HasAuditTrail & HasClock): void {
  app.decorateRequest('answer', undefined);
  app.decorateRequest('arrivedMs', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrivedMs = clock.now();
    done();
  });
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    request.answer = payload;
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const action = actionOf(request);
    const isHeard = reply.statusCode !== TOO_MANY_REQUESTS && !hasImpossibleId(request.params);
    if (action !== undefined && request.caller !== undefined && isHeard) {
      const { id: requestId, caller, ip: address, arrivedMs: atMs } = request;
      const { username, tokenHash } = caller;
      const context = { atMs, requestId, username, token: tokenIdOf(tokenHash), address };
      auditTrail.record(context, actsOfCall(servedCall(request, reply, action)));
    }
    done();
  });
}

function actionOf({ method, routeOptions }: FastifyRequest): string | undefined {
  return AUDITED_CALLS[`${method} ${routeOptions.url?.slice(API_PREFIX.length)}`];
}

function servedCall({ params, query, body, answer }: FastifyRequest, reply: FastifyReply, action: string) {
  return {
    action,
    params: params as Record<string, unknown>,
    query: query as Record<string, unknown>,
    // Bytes are no fields.
    body: Buffer.isBuffer(body) ? undefined : body,
    answer,
    status: reply.statusCode,
  };
}
