import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from '../config/credentials.ts';
import { DIALECTS, type Dialect } from '../contract/dialect.ts';

/** The dialects of endpoints, as they were found out, in a state directory. It only helps: a wrong one is found out again. */
export class DialectMemory {
  readonly #directory: string;

  constructor(state: string) {
    this.#directory = join(state, 'dialects');
  }

  /** The same credentials, with what is remembered in place of a guess. */
  async recalled<T extends Credentials>(credentials: T): Promise<T> {
    if (credentials.dialect.settled) return credentials;
    const text = await readFile(this.#pathOf(credentials.endpoint), 'utf8').catch(() => '');
    const dialect = DIALECTS.find((known) => known === text.trim());
    return dialect === undefined ? credentials : { ...credentials, dialect: { dialect, settled: false } };
  }

  async remember(endpoint: string, dialect: Dialect): Promise<void> {
    const path = this.#pathOf(endpoint);
    const draft = `${path}.${process.pid}`;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(draft, `${dialect}\n`, { mode: 0o600 });
      await rename(draft, path);
    } catch {
      // The next one finds it out again.
    }
  }

  #pathOf(endpoint: string): string {
    return join(this.#directory, createHash('sha256').update(endpoint).digest('hex').slice(0, 16));
  }
}
