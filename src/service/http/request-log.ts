import type { FastifyRequest } from 'fastify';
import type { HasLogger } from '../../observe/logger.ts';
import type { App } from './fastify-types.ts';
import type { HasRequestMetrics } from './request-metrics.ts';

/**
 * One line and one measurement for each request, when it has been answered or its caller has gone. The query stays out of
 * the line: it may hold a signature.
 */
export function logRequests(app: App, { logger, metrics }: HasRequestMetrics & HasLogger): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status, elapsedTime } = reply;
    const route = routeOf(request);
    metrics.answered({ method: request.method, route, status, seconds: elapsedTime / 1000 });
    logger.info({ ...fieldsOf(request), status, ms: Math.round(elapsedTime) }, 'answered');
  });
  app.addHook('onRequestAbort', async (request) => {
    metrics.requestAborted();
    logger.info(fieldsOf(request), 'broken off by the caller');
  });
}

/** Which request it is, for every line about it. */
export function fieldsOf(request: FastifyRequest): Record<string, unknown> {
  const { id, method, url, caller } = request;
  return {
    requestId: id,
    method,
    route: routeOf(request),
    path: url.split('?', 1)[0],
    user: caller?.username,
  };
}

/** The pattern of the address; undefined where there is no such route. */
function routeOf({ is404, routeOptions }: FastifyRequest): string | undefined {
  return is404 ? undefined : routeOptions.url;
}
