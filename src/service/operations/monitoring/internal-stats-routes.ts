import type { App } from '../../http/fastify-types.ts';
import type { HasStats } from '../../http/service-stats.ts';

/** Counters of the traffic, for tests; served only when asked for at the start. */
export function internalStatsRoutes(app: App, { stats }: HasStats): void {
  app.get('/internal/stats', async () => stats.snapshot());
  app.post('/internal/stats/reset', async () => {
    stats.reset();
    return stats.snapshot();
  });
}
