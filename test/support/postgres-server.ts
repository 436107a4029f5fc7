import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { PostgresDatabases, postgresBinaries } from './postgres-databases.ts';
import { mustRun, run } from './run.ts';

/** As fast as it goes: what a test wrote need not survive a power failure. */
const SETTINGS = {
  listen_addresses: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  shared_buffers: '64MB',
  max_connections: '300',
  log_min_messages: 'panic',
};
const READY_MS = 30_000;

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A PostgreSQL of a test's own: its data and its socket are in a temporary directory, no port is open. It runs as
 * `postgres` when the test runs as root, whom PostgreSQL refuses.
 */
export class PostgresServer {
  readonly databases: PostgresDatabases;
  readonly #binaries: string;
  readonly #directory: string;
  readonly #remove: () => void;
  readonly #account: Account | undefined;
  #process: ChildProcess | undefined;

  static async start(): Promise<PostgresServer> {
    const directory = dirSync({ prefix: 'svcfs-pg', unsafeCleanup: true });
    const account = process.getuid?.() === 0 ? await accountOf('postgres') : undefined;
    if (account !== undefined) await chown(directory.name, account.uid, account.gid);
    const server = new PostgresServer(await postgresBinaries(), directory, account);
    await server.#initialise();
    await server.resume();
    return server;
  }

  private constructor(
    binaries: string,
    directory: { readonly name: string; removeCallback(): void },
    account: Account | undefined,
  ) {
    this.databases = new PostgresDatabases(binaries, directory.name);
    this.#binaries = binaries;
    this.#directory = directory.name;
    this.#remove = () => directory.removeCallback();
    this.#account = account;
  }

  /** Starts the server, the first time or after `pause`. */
  async resume(): Promise<void> {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', this.#data, '-k', this.#directory, ...settings];
    const server = spawn(join(this.#binaries, 'postgres'), args, {
      cwd: '/',
      stdio: ['ignore', 'inherit', 'inherit'],
      ...this.#account,
    });
    this.#process = server;
    const deadline = Date.now() + READY_MS;
    while ((await this.#isReady()) === false) {
      if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`);
      if (Date.now() > deadline) throw new Error('postgres does not get ready');
    }
  }

  /** Ends the server and every connection to it; the databases stay. */
  async pause(): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    this.#process = undefined;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    // "Fast shutdown": connections are ended, not waited for.
    server.kill('SIGINT');
    await exited;
  }

  async stop(): Promise<void> {
    await this.pause();
    this.#remove();
  }

  get #data(): string {
    return join(this.#directory, 'data');
  }

  async #initialise(): Promise<void> {
    await mkdir(this.#data, { mode: 0o700 });
    if (this.#account !== undefined) await chown(this.#data, this.#account.uid, this.#account.gid);
    // The socket is for the tests, which may run as another user.
    await chmod(this.#directory, 0o755);
    const args = [
      '-D',
      this.#data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ];
    await mustRun(join(this.#binaries, 'initdb'), args, { cwd: '/', ...this.#account });
  }

  async #isReady(): Promise<boolean> {
    const { code } = await run(
      join(this.#binaries, 'pg_isready'),
      ['-q', '-h', this.#directory, '-U', 'postgres'],
      {
        cwd: '/',
      },
    );
    return code === 0;
  }
}

async function accountOf(name: string): Promise<Account> {
  const id = async (flag: string): Promise<number> => Number(await mustRun('id', [flag, name]));
  return { uid: await id('-u'), gid: await id('-g') };
}
