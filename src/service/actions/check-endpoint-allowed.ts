import { lookup } from 'node:dns/promises';
import { refusedEndpoint } from '../rules/endpoint-policy.ts';
import { ServiceError } from '../service-error.ts';

/**
 * Looks where the endpoint of a volume leads. That it cannot be found out now is no refusal: who connects looks again.
 *
 * @throws ServiceError 9209
 */
export async function checkEndpointAllowed(endpoint: string, allowed: readonly string[]): Promise<void> {
  const { hostname } = new URL(endpoint);
  const resolved = await lookup(hostname, { all: true }).catch(() => []);
  const refusal = refusedEndpoint(
    hostname,
    resolved.map(({ address }) => address),
    allowed,
  );
  if (refusal !== undefined) throw new ServiceError(9209, `The endpoint ${refusal}.`);
}
