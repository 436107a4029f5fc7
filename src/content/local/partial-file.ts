/**
 * A file that is being fetched, beside the place that it goes to. Its name tells which content it is of, so that another
 * run goes on where one was ended; it gets its own name when all of it is there. A lock keeps a second run from it meanwhile.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { lockFile } from '../../lib/lock-file.ts';
import { versionKey } from '../content-version.ts';
import { ContentError, type ContentVersion } from '../ports.ts';

const SUFFIX = '.svcfs-part';
/** A name has 255 bytes at most. */
const NAME_BYTES_MOST = 200;
/** So much is on the disk at most before the next is asked to be: after a failure of power no more is in doubt. */
const SYNCED_EACH_BYTES = 64 * 1024 * 1024;

export class PartialFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #lock: FileHandle | undefined;
  #sizeBytes: number;
  #unsyncedBytes = 0;

  private constructor(path: string, handle: FileHandle, sizeBytes: number, lock?: FileHandle) {
    this.path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#sizeBytes = sizeBytes;
  }

  /** One of this process alone. */
  static async begin(target: string, version: ContentVersion): Promise<PartialFile> {
    const path = join(dirname(target), nameOf(target, `${digestOf(version)}.${process.pid}`));
    return new PartialFile(path, await open(path, 'w+', 0o600), 0);
  }

  /** With what another run has left. Rejects with a `ContentError` while that run is at it. */
  static async resume(target: string, version: ContentVersion): Promise<PartialFile> {
    const path = join(dirname(target), nameOf(target, digestOf(version)));
    const lock = await lockFile(path, 0);
    if (lock === undefined) throw new ContentError('failed', 'another svcfs cp is copying it there');
    const handle = await open(path, 'a+', 0o600).catch(async (error: unknown) => {
      await lock.close();
      throw error;
    });
    try {
      const { size, mtimeMs } = await handle.stat();
      const beganMs = Date.now() - uptime() * 1000;
      const doubtfulBytes = mtimeMs < beganMs ? 2 * SYNCED_EACH_BYTES : 0;
      const good = size > version.sizeBytes ? 0 : Math.max(0, size - doubtfulBytes);
      if (good < size) await handle.truncate(good);
      return new PartialFile(path, handle, good, lock);
    } catch (error) {
      await handle.close();
      await lock.close();
      throw error;
    }
  }

  /** The first so many bytes of the content are there. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written);
      written += bytesWritten;
    }
    this.#sizeBytes += bytes.length;
    this.#unsyncedBytes += bytes.length;
    if (this.#unsyncedBytes < SYNCED_EACH_BYTES) return;
    await this.#handle.datasync();
    this.#unsyncedBytes = 0;
  }

  async read(offset: number, into: Uint8Array): Promise<number> {
    const { bytesRead } = await this.#handle.read(into, 0, into.length, offset);
    return bytesRead;
  }

  /**
   * It becomes the file at `target`, with this mode and, where one is given, this time. The file of that name is whole, also after
   * a failure of power: `--update` would leave an empty file alone that is newer.
   */
  async finish(target: string, { mode, mtimeMs }: LocalAttributes): Promise<void> {
    if (this.#unsyncedBytes > 0) await this.#handle.datasync();
    await this.#handle.chmod(mode);
    if (mtimeMs !== undefined) await this.#handle.utimes(new Date(), mtimeMs / 1000);
    await rename(this.path, target);
    await this.close();
  }

  /** Leaves it to the next run. */
  async close(): Promise<void> {
    await this.#handle.close();
    await this.#lock?.close();
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
    await this.close();
  }
}

export interface LocalAttributes {
  /** Permission bits. */
  readonly mode: number;
  /** Undefined: that of its writing. */
  readonly mtimeMs: number | undefined;
}

function digestOf(version: ContentVersion): string {
  return createHash('sha256').update(versionKey(version)).digest('hex').slice(0, 12);
}

function nameOf(target: string, which: string): string {
  let name = basename(target);
  while (Buffer.byteLength(name) > NAME_BYTES_MOST) name = name.slice(0, -1);
  return `.${name}.${which}${SUFFIX}`;
}
