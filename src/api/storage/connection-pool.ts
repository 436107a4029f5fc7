import type { StoreConnection } from './store-connection.ts';

/**
 * As long as address translators keep it for sure. A server that closes it sooner tells, and a request that meets the
 * closing goes over another one; a new connection costs the next reader one round trip, or three with TLS.
 */
const DEFAULT_IDLE_MS = 30_000;

/** Kept-alive connections to stores. A caller beyond the limit waits until a connection is given back. */
export class ConnectionPool<Connection extends StoreConnection = StoreConnection> {
  readonly #limit: number;
  readonly #connect: (origin: URL) => Connection;
  readonly #origins = new Map<string, Origin<Connection>>();
  #closed = false;

  /** @param limit Connections to one origin. */
  constructor(limit: number, connect: (origin: URL) => Connection) {
    this.#limit = limit;
    this.#connect = connect;
  }

  /** A connection, idle or new. It must be given back or discarded. `fresh` takes no idle one. */
  async take(
    url: URL,
    options: { readonly fresh: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<Connection> {
    options.signal?.throwIfAborted();
    const origin = this.#originOf(url);
    for (;;) {
      if (this.#closed) throw closed();
      const idle = options.fresh ? undefined : origin.idle.pop();
      if (idle && !idle.isGone) {
        origin.inUse.add(idle);
        return idle;
      }
      if (!idle && origin.inUse.size < this.#limit) {
        const connection = this.#connect(url);
        origin.inUse.add(connection);
        return connection;
      }
      if (!idle) {
        await turn(origin.waiting, options.signal);
      }
    }
  }

  /** Has so many idle connections, as far as the limit allows. */
  connectAhead(url: URL, count: number): void {
    const origin = this.#originOf(url);
    if (origin.retired || this.#closed) return;
    origin.idle = origin.idle.filter((each) => !each.isGone);
    const room = this.#limit - origin.inUse.size;
    while (origin.idle.length < Math.min(count, room)) {
      const connection = this.#connect(url);
      connection.release(DEFAULT_IDLE_MS);
      // The one used last has the widest window.
      origin.idle.unshift(connection);
    }
  }

  giveBack(url: URL, connection: Connection, idleMs: number | undefined): void {
    if (this.#closed) {
      connection.close(closed());
      return;
    }
    const origin = this.#originOf(url);
    connection.release(Math.max(1, Math.min(DEFAULT_IDLE_MS, (idleMs ?? Number.POSITIVE_INFINITY) - 1000)));
    origin.inUse.delete(connection);
    origin.idle = origin.idle.filter((each) => !each.isGone);
    origin.idle.push(connection);
    next(origin.waiting);
  }

  discard(url: URL, connection: Connection, reason: Error): void {
    const origin = this.#originOf(url);
    connection.close(reason);
    origin.inUse.delete(connection);
    next(origin.waiting);
  }

  /** A store that these connections cannot serve: none is made ahead any more. */
  retire(url: URL): void {
    this.#originOf(url).retired = true;
    this.closeIdle(url);
  }

  /** The way to the store may have lost them: what is asked next goes over new ones. */
  closeIdle(url: URL): void {
    for (const connection of this.#originOf(url).idle.splice(0))
      connection.close(new Error('idle, and no longer of use'));
  }

  isRetired(url: URL): boolean {
    return this.#originOf(url).retired;
  }

  /** Ends what is under way, and nobody gets a connection any more. */
  close(): void {
    this.#closed = true;
    for (const { idle, inUse, waiting } of this.#origins.values()) {
      for (const connection of [...idle, ...inUse]) connection.close(closed());
      for (const go of [...waiting]) go();
    }
    this.#origins.clear();
  }

  #originOf(url: URL): Origin<Connection> {
    let origin = this.#origins.get(url.origin);
    if (!origin) {
      origin = { idle: [], inUse: new Set(), waiting: new Set(), retired: false };
      this.#origins.set(url.origin, origin);
    }
    return origin;
  }
}

function closed(): Error {
  return new Error('the client was closed');
}

interface Origin<Connection> {
  /** The one used last is last, and used first. */
  idle: Connection[];
  readonly inUse: Set<Connection>;
  readonly waiting: Set<() => void>;
  retired: boolean;
}

function turn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const abort = (): void => {
      waiting.delete(go);
      reject(signal?.reason);
    };
    waiting.add(go);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function next(waiting: Set<() => void>): void {
  for (const go of waiting) {
    waiting.delete(go);
    go();
    return;
  }
}
