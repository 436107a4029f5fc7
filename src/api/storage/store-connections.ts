import { canReceiveOverTls } from '../../lib/tls-addon.ts';
import { Network } from '../network/network.ts';
import { AdoptingConnection } from './adopting-connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type ConnectionLimits, RangeConnection } from './range-connection.ts';

export interface PoolLimits extends ConnectionLimits {
  /** To one origin. */
  readonly connections: number;
  /** Over TLS, by a thread of the addon where that can be. Default: true. */
  readonly receivesApart?: boolean;
}

/** Connections that ranges come over. */
export function receivingConnections(limits: PoolLimits, network = new Network()): ConnectionPool {
  /** Verified origins whose TLS the addon does not speak. */
  const others = new Set<string>();
  const onLoop = (origin: URL): RangeConnection => new RangeConnection(origin, network, limits);
  return new ConnectionPool(limits.connections, (origin) => {
    const apart =
      limits.receivesApart !== false && canReceiveOverTls && isSecure(origin) && network.hasUnsecured(origin);
    if (!apart || others.has(origin.origin)) return onLoop(origin);
    const instead = (): RangeConnection => {
      others.add(origin.origin);
      return onLoop(origin);
    };
    return new AdoptingConnection(origin, network, { connectTimeoutMs: limits.connectTimeoutMs, instead });
  });
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:';
}

/** Connections that parts go over. */
export function sendingConnections(limits: PoolLimits, network: Network): ConnectionPool<RangeConnection> {
  return new ConnectionPool(limits.connections, (origin) => new RangeConnection(origin, network, limits));
}
