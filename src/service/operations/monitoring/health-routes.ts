import type { App } from '../../http/fastify-types.ts';
import type { Readiness } from './readiness.ts';

/**
 * For supervisors that restart processes, and for proxies that send calls to them. Open to all; they tell nothing but
 * words.
 */
export function healthRoutes(app: App, readiness: Readiness): void {
  app.get('/healthz', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await readiness.report();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
}
