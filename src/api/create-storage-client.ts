import { Agent, type Pool } from 'undici';

import type { Clock } from '../lib/clock.ts';
import { sharedAbortController } from '../lib/shared-signals.ts';
import type { Throttle } from '../lib/throttle.ts';
import { StorageError } from './errors.ts';
import { Network } from './network/network.ts';
import { poolOn } from './network/pool.ts';
import { getRangeOver } from './storage/get-range.ts';
import { putPartOver } from './storage/put-part.ts';
import { redirectedRangeExchange } from './storage/redirected-range-exchange.ts';
import { socketRangeExchange } from './storage/socket-range-exchange.ts';
import { receivingConnections, sendingConnections } from './storage/store-connections.ts';
import { undiciRangeExchange } from './storage/undici-range-exchange.ts';
import { type Transfer, withTransferObserver } from './storage/with-transfer-observer.ts';
import type { StorageClient } from './storage-client.ts';
import { answerTimeoutFor, watchedConnector } from './transport/watch-sending.ts';

export interface StorageOptions {
  readonly clock: Clock;
  /** Of the bytes of parts, over all of them. */
  readonly uploadLimit?: Throttle | undefined;
  /** Parts that are on their way at once, if that was asked for. */
  readonly uploads?: number | undefined;
  /** Ranges over TLS are received by a thread of the addon, where that can be. Default: true. */
  readonly receivesApart?: boolean;
  /** Default: direct connections. */
  readonly network?: Network;
  readonly limits?: Partial<StorageLimits>;
  /** Told of each range and part that is over. */
  readonly onTransfer?: (transfer: Transfer) => void;
  /** Told when an exchange with a store is made anew. */
  readonly onRetry?: () => void;
}

export interface StorageLimits {
  /** How long a store that brings nothing is tried. Default 60 s. */
  readonly timeoutMs: number;
  /** To one store. Default 56: what is in flight is limited by those who ask, and what is fetched ahead leaves some free. */
  readonly connections: number;
  /** Of one exchange, without a byte. Default 20 s, at most `timeoutMs`. */
  readonly stallTimeoutMs: number;
  /** When all bytes of a part have arrived. Default 2 min, and `timeoutMs` where that is shorter than a minute. */
  readonly answerTimeoutMs: number;
  /** Default 10 s. */
  readonly connectTimeoutMs: number;
}

const DEFAULT_LIMITS: Omit<StorageLimits, 'answerTimeoutMs'> = {
  timeoutMs: 60_000,
  connections: 56,
  stallTimeoutMs: 20_000,
  connectTimeoutMs: 10_000,
};

/** The client of signed URLs. The URL alone authorises: nothing sent here holds the token. */
export function createStorageClient(options: StorageOptions): StorageClient {
  const given = { ...DEFAULT_LIMITS, ...options.limits };
  const limits = {
    answerTimeoutMs: answerTimeoutFor(given.timeoutMs),
    ...given,
    stallTimeoutMs: Math.min(given.stallTimeoutMs, given.timeoutMs),
    connectTimeoutMs: Math.min(given.connectTimeoutMs, given.timeoutMs),
  };
  const network = options.network ?? new Network();
  const uploads = Math.max(limits.connections, options.uploads ?? 0);
  const agent = new Agent({
    factory: (origin, own: Pool.Options) => {
      const connect = network.connector(new URL(origin), limits.connectTimeoutMs);
      return poolOn(network, new URL(origin), { ...own, connect: watchedConnector(connect, limits) });
    },
    connections: uploads,
    pipelining: 1,
    headersTimeout: limits.stallTimeoutMs,
    bodyTimeout: limits.stallTimeoutMs,
    keepAliveTimeout: 15_000,
  });
  const end = sharedAbortController();
  const { clock, onTransfer, onRetry } = options;
  const retries = { clock, timeoutMs: limits.timeoutMs, ended: end.signal, onRetry };
  const sockets = receivingConnections({ ...limits, receivesApart: options.receivesApart ?? true }, network);
  const puts = sendingConnections({ ...limits, connections: uploads, sending: limits }, network);
  const exchange = redirectedRangeExchange(socketRangeExchange(sockets, undiciRangeExchange(agent)));
  const client: StorageClient = {
    getRange: getRangeOver(exchange, { ...retries, stallTimeoutMs: limits.stallTimeoutMs }),
    connectAhead: (origin, connections) => sockets.connectAhead(new URL(origin), connections),
    putPart: putPartOver({ agent, sockets: puts }, { ...retries, uploadLimit: options.uploadLimit }),
    close: async () => {
      end.abort(new StorageError('failed', 'the client of the store was closed'));
      sockets.close();
      puts.close();
      await agent.destroy();
    },
  };
  return onTransfer === undefined ? client : withTransferObserver(client, onTransfer, clock);
}
