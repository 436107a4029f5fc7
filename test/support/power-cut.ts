import { link, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mustRun } from './run.ts';

const SOURCE = fileURLToPath(new URL('power-cut.cpp', import.meta.url));

/**
 * A disk that loses its power. Processes that have `env` work on the directory as ever; what they wrote and did not sync, and
 * the names in directories that they did not sync, are missing from what `restore` makes.
 */
export class PowerCut {
  readonly #root: string;
  readonly #disk: string;

  /** @param root The directory on that disk; empty, and durable itself. */
  static async prepare(root: string, scratch: string): Promise<PowerCut> {
    const cut = new PowerCut(root, scratch);
    for (const kept of ['files', 'names']) await mkdir(join(scratch, kept), { recursive: true });
    await mustRun('c++', ['-std=c++17', '-O1', '-shared', '-fPIC', '-o', cut.#library, SOURCE, '-ldl']);
    return cut;
  }

  private constructor(root: string, disk: string) {
    this.#root = root;
    this.#disk = disk;
  }

  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.#library,
      POWER_ROOT: this.#root,
      POWER_DISK: this.#disk,
      UV_USE_IO_URING: '0',
    };
  }

  /** Paths of what was synced, in order. */
  async syncs(): Promise<readonly string[]> {
    return (await readFile(join(this.#disk, 'log'), 'utf8')).split('\n').slice(0, -1);
  }

  /** Lays into a new directory what the disk is sure to hold. */
  async restore(to: string): Promise<void> {
    await this.#restoreDirectory((await stat(this.#root)).ino, to);
  }

  async #restoreDirectory(inode: number, to: string): Promise<void> {
    await mkdir(to);
    const names = await readFile(join(this.#disk, 'names', String(inode)), 'utf8').catch(() => '');
    for (const entry of names.split('\0').slice(0, -1)) {
      const [, number = '', kind, name = ''] = /^(\d+) ([df]) (.*)$/s.exec(entry) ?? [];
      const path = join(to, name);
      if (kind === 'd') await this.#restoreDirectory(Number(number), path);
      // A name may be durable before the content is: then it has none.
      else await link(join(this.#disk, 'files', number), path).catch(() => writeFile(path, ''));
    }
  }

  get #library(): string {
    return join(this.#disk, 'power-cut.so');
  }
}
