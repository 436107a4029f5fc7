import type { FastifyRequest } from 'fastify';
import type { Services } from '../services.ts';
import type { App } from './fastify-types.ts';

/**
 * One line and one measurement for each request, when it has been answered or its caller has gone. The query stays out of
 * the line: it may hold a signature.
 */
export function logRequests(app: App, { logger, metrics }: Services): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status, elapsedTime } = reply;
    const { method, routeOptions } = request;
    metrics.answered({ method, route: routeOptions.url, status, seconds: elapsedTime / 1000 });
    logger.info({ ...fieldsOf(request), status, ms: Math.round(elapsedTime) }, 'answered');
  });
  app.addHook('onRequestAbort', async (request) => {
    metrics.requestAborted();
    logger.info(fieldsOf(request), 'broken off by the caller');
  });
}

/** Which request it is, for every line about it. */
export function fieldsOf({ id, method, url, caller, routeOptions }: FastifyRequest): Record<string, unknown> {
  return {
    requestId: id,
    method,
    route: routeOptions.url,
    path: url.split('?', 1)[0],
    user: caller?.username,
  };
}
