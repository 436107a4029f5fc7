import { createApi } from '../../api/create-api.ts';
import { systemClock } from '../../lib/clock.ts';

/** Someone waits at a terminal: a service that is restarting may be back by then, more is not worth the wait. */
const PATIENCE_MS = 10_000;

/** Lists the root once: endpoint and token are good, or the error says which is not. */
export async function checkAccess(endpoint: string, token: string): Promise<{ readonly username: string }> {
  const api = createApi({ endpoint, token, clock: systemClock, limits: { timeoutMs: PATIENCE_MS } });
  try {
    const [user] = await Promise.all([api.whoAmI(), api.projects.list({ offset: 0, limit: 1 })]);
    return user;
  } finally {
    await api.close();
  }
}
