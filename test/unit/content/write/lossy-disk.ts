import { readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

interface OnDisk {
  bytes: Buffer;
  /** Where a failed fdatasync had something to write. */
  lost: readonly (readonly [number, number])[];
}

/**
 * The disk below a journal, as a power failure shows it: with what the last fdatasync wrote, under the name that the last
 * fsync of the directory had. As with Linux, what a failed one could not write is gone, and the next one does not tell.
 */
export class LossyDisk {
  readonly #path: string;
  readonly #files = new Map<number, OnDisk>();
  #named = 0;
  /** So many of the next calls fail. */
  failures = { datasync: 0, directory: 0 };
  /** Of the journal, those that failed included. */
  syncs = 0;
  /** Each one waits for it. */
  before: Promise<void> = Promise.resolve();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Below the journal of this directory, as it is now. */
  static async below(directory: string): Promise<LossyDisk> {
    const path = join(directory, 'journal');
    const disk = new LossyDisk(path);
    const handle = await open(path, 'r+');
    await disk.#keep(handle);
    disk.#named = (await handle.stat()).ino;
    disk.#take(Object.getPrototypeOf(handle) as FileHandle);
    await handle.close();
    return disk;
  }

  get journal(): Buffer {
    return this.#files.get(this.#named)?.bytes ?? Buffer.alloc(0);
  }

  /** How many files are open in the journal's directory, removed ones included. */
  get openFiles(): number {
    const descriptors = readdirSync('/proc/self/fd').map(pathOf);
    return descriptors.filter((path) => path.startsWith(this.#path)).length;
  }

  #take(handles: FileHandle): void {
    const { datasync, sync } = handles;
    const disk = this;
    const spies = [
      vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
        if (!pathOf(this.fd).startsWith(disk.#path)) return datasync.call(this);
        await disk.#datasync(this, () => datasync.call(this));
      }),
      vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
        if (join(pathOf(this.fd), 'journal') === disk.#path) await disk.#syncDirectory();
        await sync.call(this);
      }),
    ];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
  }

  async #datasync(handle: FileHandle, datasync: () => Promise<void>): Promise<void> {
    this.syncs += 1;
    await this.before;
    const { ino, size } = await handle.stat();
    // The number may have been another file's.
    if (basename(pathOf(handle.fd)) !== 'journal') this.#files.delete(ino);
    if (this.failures.datasync > 0) {
      this.failures.datasync -= 1;
      const { bytes, lost } = this.#files.get(ino) ?? { bytes: Buffer.alloc(0), lost: [] };
      this.#files.set(ino, { bytes, lost: [...lost, [bytes.length, size]] });
      throw inputOutputError();
    }
    await datasync();
    await this.#keep(handle);
  }

  async #keep(handle: FileHandle): Promise<void> {
    const { ino } = await handle.stat();
    const { lost } = this.#files.get(ino) ?? { lost: [] };
    const bytes = await readFile(`/proc/self/fd/${handle.fd}`);
    for (const [start, end] of lost) bytes.fill(0, start, end);
    this.#files.set(ino, { bytes, lost });
  }

  async #syncDirectory(): Promise<void> {
    if (this.failures.directory > 0) {
      this.failures.directory -= 1;
      throw inputOutputError();
    }
    this.#named = (await stat(this.#path)).ino;
  }
}

function pathOf(descriptor: number | string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

function inputOutputError(): Error {
  return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
}
