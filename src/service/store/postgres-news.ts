import { once } from 'node:events';
import type { Client, Pool } from 'pg';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { Logger } from '../../observe/logger.ts';
import { loadPg, type Pg } from './load-pg.ts';
import { connectionConfig, openPool } from './postgres.ts';

const CHANNEL = 'svcfs_news';
const RECONNECT_MS = 1000;

export interface PostgresNewsOptions {
  readonly url: string;
  /** Called with the news of other processes; undefined when some may have been missed. */
  readonly onNews: (news: string | undefined) => void;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/**
 * Short news between the processes on one database, by LISTEN and NOTIFY. A hint to look sooner, and no more: what is
 * told while a connection is broken is lost, and nobody waits for it to be told.
 */
export class PostgresNews {
  readonly #options: PostgresNewsOptions;
  readonly #clock: Clock;
  readonly #pg: Pg;
  readonly #teller: Pool;
  /** Tells one's own news, which comes back, from that of others. */
  readonly #self = randomId();
  readonly #closing = new AbortController();
  readonly #untold = new Set<string>();
  #telling: Promise<void> | undefined;
  #listening: Promise<void> = Promise.resolve();

  static async open(options: PostgresNewsOptions): Promise<PostgresNews> {
    const news = new PostgresNews(options, await loadPg());
    news.#listening = news.#listen();
    return news;
  }

  private constructor(options: PostgresNewsOptions, pg: Pg) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#pg = pg;
    this.#teller = openPool(pg, { ...connectionConfig(options.url), max: 1 });
  }

  /** Tells the other processes, soon. The same news told again meanwhile is told once. */
  tell(news: string): void {
    this.#untold.add(news);
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#telling;
    this.#closing.abort();
    await this.#listening;
    await this.#teller.end();
  }

  async #tellAll(): Promise<void> {
    for (const news of this.#untold) {
      this.#untold.delete(news);
      await this.#teller
        .query('select pg_notify($1, $2)', [CHANNEL, `${this.#self} ${news}`])
        .catch(() => undefined);
    }
  }

  async #listen(): Promise<void> {
    const { logger } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#listenOnce().catch((err) => logger.warn({ err }, 'no news from the database'));
      if (!signal.aborted) await this.#clock.sleep(RECONNECT_MS, signal).catch(() => undefined);
    }
  }

  /** Listens until the connection breaks or the channel closes. */
  async #listenOnce(): Promise<void> {
    const { url, onNews } = this.#options;
    const { signal } = this.#closing;
    const client = new this.#pg.Client(connectionConfig(url));
    const broken = new AbortController();
    client.on('error', (error) => broken.abort(error));
    client.on('end', () => broken.abort(new Error('the connection ended')));
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      onNews(undefined);
      await aborted(AbortSignal.any([broken.signal, signal]));
      if (broken.signal.aborted) throw broken.signal.reason;
    } finally {
      await end(client);
    }
  }

  #hear(payload: string): void {
    const [teller, news] = payload.split(' ', 2);
    if (teller !== this.#self) this.#options.onNews(news);
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

async function end(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
