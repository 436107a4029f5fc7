import type { App } from '../../http/fastify-types.ts';
import type { Services } from '../../services.ts';

/** Counters of the traffic, for tests; served only when asked for at the start. */
export function internalStatsRoutes(app: App, { stats }: Services): void {
  app.get('/internal/stats', async () => stats.snapshot());
  app.post('/internal/stats/reset', async () => {
    stats.reset();
    return stats.snapshot();
  });
}
