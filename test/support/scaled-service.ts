import { join } from 'node:path';
import { Operator } from '../../src/service/operator/operator.ts';
import { openServices } from '../../src/service/start-service.ts';
import { LinesLogger, SECRET_KEY, TestUser } from '../service/test-service.ts';
import type { BackgroundProcess } from './background-process.ts';
import type { PostgresServer } from './postgres-server.ts';
import type { Sandbox } from './sandbox.ts';

/** As short as may be: tests wait for one to end. */
export const LEASE_SECONDS = 3;

export interface Scaled {
  readonly sandbox: Sandbox;
  readonly database: PostgresServer;
  /** Further arguments and environment of every process. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Each process has a data directory of its own: they share a database and a store, and no file. */
  readonly apart?: boolean;
}

/** A service of several processes on one PostgreSQL, as an operator starts them. */
export class ScaledService {
  readonly #options: Scaled;
  readonly #databaseUrl: string;
  #started = 0;

  private constructor(options: Scaled, databaseUrl: string) {
    this.#options = options;
    this.#databaseUrl = databaseUrl;
  }

  static async make(options: Scaled): Promise<ScaledService> {
    return new ScaledService(options, await options.database.databases.create());
  }

  /** The name of the database. */
  get database(): string {
    return new URL(this.#databaseUrl).pathname.slice(1);
  }

  /** Of the processes that share it. */
  get dataDir(): string {
    return join(this.#options.sandbox.root, 'shared');
  }

  /** Processes that answer calls; resolves with one person as the client of each. */
  async startApis(count: number, username: string): Promise<readonly TestUser[]> {
    const apis = Array.from({ length: count }, () => this.#start('api', '--listen', '127.0.0.1:0'));
    const token = await this.#tokenOf(username);
    return Promise.all(
      apis.map(async (api) => {
        const [, url = ''] = await api.says(/^listening on (\S+)$/m);
        return new TestUser(url, username, token);
      }),
    );
  }

  async startWorkers(count: number): Promise<readonly BackgroundProcess[]> {
    const workers = Array.from({ length: count }, () => this.#start('worker'));
    await Promise.all(workers.map((worker) => worker.says(/^working$/m)));
    return workers;
  }

  /** The answer of `psql`. */
  query(statement: string): Promise<string> {
    return this.#options.database.databases.query(this.database, statement);
  }

  #start(role: string, ...args: readonly string[]): BackgroundProcess {
    const { sandbox, env } = this.#options;
    return sandbox.start(
      [
        ...['serve', '--role', role, '--data', this.#nextDataDir(), '--job-lease', `${LEASE_SECONDS}`],
        ...this.#options.args,
        ...args,
      ],
      { SVCFS_DATABASE: this.#databaseUrl, SVCFS_SECRET_KEY: SECRET_KEY, ...env },
    );
  }

  #nextDataDir(): string {
    this.#started += 1;
    return this.#options.apart === true ? join(this.dataDir, String(this.#started)) : this.dataDir;
  }

  async #tokenOf(username: string): Promise<string> {
    const services = await openServices({
      dataDir: this.#nextDataDir(),
      databaseUrl: this.#databaseUrl,
      secretKeys: { text: SECRET_KEY, source: 'the test' },
      rateLimit: 'off',
      logger: new LinesLogger(),
    });
    const operator = new Operator(services);
    await operator.createUser(username);
    const token = await operator.issueToken(username);
    await services.store.close();
    return token;
  }
}
