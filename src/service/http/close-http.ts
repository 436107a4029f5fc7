import type { App } from './fastify-types.ts';

const IDLE_CHECK_MS = 50;

/**
 * Takes no more connections, lets requests under way be answered, and closes each connection as it falls idle: Node does
 * so at the start only. Requests that are still under way when `hurry` fires are cut.
 */
export async function closeHttp(app: App, hurry: AbortSignal): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = (): void => app.server.closeAllConnections();
  hurry.addEventListener('abort', cut, { once: true });
  if (hurry.aborted) cut();
  await app.close();
  hurry.removeEventListener('abort', cut);
  clearInterval(idle);
}
