import type { Api } from '../../api/api.ts';

/** Someone waits at a terminal: a service that is restarting may be back by then, more is not worth the wait. */
const PATIENCE_MS = 10_000;

/** Lists the root once: endpoint and token are good, or the error says which is not. Leaves warm connections. */
export async function checkAccess(api: Api): Promise<{ readonly username: string }> {
  const options = { timeoutMs: PATIENCE_MS };
  const [user] = await Promise.all([
    api.whoAmI(options),
    api.projects.list({ offset: 0, limit: 1 }, options),
  ]);
  return user;
}
