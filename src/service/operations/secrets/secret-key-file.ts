import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { writePrivateFile } from '../../storage/objects/durable-file.ts';
import { parseSecretKeys, type SecretKey, SecretKeyError, type SecretKeys } from './secret-keys.ts';

const READABLE_BY_OTHERS = 0o004;

/** Keys in a file that only the service's user may read: one a line, the newest first. */
export class SecretKeyFile implements SecretKeys {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async read(): Promise<[SecretKey, ...SecretKey[]]> {
    return parseSecretKeys(await this.#text(), this.path);
  }

  /** Makes the file, with a new key, unless it is there. Of processes that start together, one makes it. */
  async makeIfMissing(): Promise<void> {
    await this.#write([newKey()], { overwrite: false }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }

  /**
   * Puts a new key in front. Those behind it whose ids are not among `kept` are taken out.
   *
   * @returns The new key
   */
  async addKey(kept: ReadonlySet<string>): Promise<SecretKey> {
    const before = (await this.read())
      .filter(({ id }) => kept.has(id))
      .map(({ bytes }) => bytes.toString('hex'));
    const added = newKey();
    await this.#write([added, ...before], { overwrite: true }).catch((error: NodeJS.ErrnoException) => {
      const remedy =
        'its directory must be writable, and the file of the same user or the command run by root';
      throw new SecretKeyError(`the keys in ${this.path} cannot be written (${error.code}): ${remedy}`, {
        cause: error,
      });
    });
    return parseSecretKeys(added, this.path)[0];
  }

  async #text(): Promise<string> {
    try {
      const { mode } = await stat(this.path);
      if ((mode & READABLE_BY_OTHERS) !== 0) {
        throw new SecretKeyError(`every user can read the keys in ${this.path}; chmod 600 it`);
      }
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof SecretKeyError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new SecretKeyError(`the keys in ${this.path} cannot be read (${code})`, { cause: error });
    }
  }

  async #write(keys: readonly string[], options: { readonly overwrite: boolean }): Promise<void> {
    await writePrivateFile(this.path, keys.map((key) => `${key}\n`).join(''), options);
  }
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}
