import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run.ts';

const DEBIAN_BINARIES = '/usr/lib/postgresql';

/** The databases of a PostgreSQL server that runs, whoever started it. */
export class PostgresDatabases {
  readonly #binaries: string;
  readonly #socketDirectory: string;
  #made = 0;

  constructor(binaries: string, socketDirectory: string) {
    this.#binaries = binaries;
    this.#socketDirectory = socketDirectory;
  }

  get socketDirectory(): string {
    return this.#socketDirectory;
  }

  /** A new database, empty or like `template`. @returns Its connection URL */
  async create(template = 'template1'): Promise<string> {
    this.#made += 1;
    const name = `test${process.pid}_${this.#made}`;
    await this.query('postgres', `create database ${name} template ${template}`);
    return this.url(name);
  }

  url(database: string): string {
    return `postgresql:///${database}?host=${this.#socketDirectory}&user=postgres`;
  }

  /** Runs one statement by `psql` and answers what it prints, unadorned. */
  query(database: string, statement: string): Promise<string> {
    const args = ['-h', this.#socketDirectory, '-U', 'postgres', '-d', database, '-qAtX', '-c', statement];
    return mustRun(join(this.#binaries, 'psql'), args, { cwd: '/' });
  }
}

/** The directory of the programs of the newest version that is installed. */
export async function postgresBinaries(): Promise<string> {
  const versions = await readdir(DEBIAN_BINARIES).catch(() => []);
  const [newest] = versions.map(Number).sort((a, b) => b - a);
  if (newest === undefined) throw new Error(`no PostgreSQL below ${DEBIAN_BINARIES}: run scripts/setup`);
  return join(DEBIAN_BINARIES, String(newest), 'bin');
}
