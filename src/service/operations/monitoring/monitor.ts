import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import type { App } from '../../http/fastify-types.ts';
import { healthRoutes } from './health-routes.ts';
import type { Readiness } from './readiness.ts';
import type { HasMetrics } from './service-metrics.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface Monitor {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Metrics and health at an address of their own, for the operator's network: metrics name routes and counts, which
 * concern only the operator. A process that answers no calls has them too. The address stays open until the process has
 * let go of everything else.
 */
export async function startMonitor(
  { metrics }: HasMetrics,
  readiness: Readiness,
  address: ListenAddress,
): Promise<Monitor> {
  const { registry } = metrics;
  const app: App = fastify({ forceCloseConnections: true }).withTypeProvider<TypeBoxTypeProvider>();
  healthRoutes(app, readiness);
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  await app.listen(address);
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}
