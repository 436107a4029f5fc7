import { constants } from 'node:fs';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../lib/error-code.ts';
import { readAll } from '../../../lib/read-all.ts';
import { explainDiskFailure } from './disk-failure.ts';

/** A draft's id before it makes the name of its spool. */
export const SPOOL_SUFFIX = '.spool';

/** The sparse local file that keeps a draft's own bytes, at their offsets, until it is published. */
export class SpoolFile {
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Opens the spool at `path`, made if it is not there, its directory is; nobody else may read it. */
  static async open(path: string): Promise<SpoolFile> {
    const opening = open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const handle = await opening.catch((error: unknown) => {
      throw explainDiskFailure(error, dirname(path));
    });
    return new SpoolFile(path, handle);
  }

  /** Writes all of `data`, or what fits when the disk gets full; nothing fits: `ContentError` kind `no-space`. */
  async write(offset: number, data: Uint8Array): Promise<number> {
    let written = 0;
    while (written < data.length) {
      try {
        const piece = await this.#handle.write(data, written, data.length - written, offset + written);
        written += piece.bytesWritten;
      } catch (error) {
        if (written > 0) return written;
        throw explainDiskFailure(error, dirname(this.path));
      }
    }
    return written;
  }

  async writeAll(offset: number, data: Uint8Array): Promise<void> {
    let written = 0;
    while (written < data.length) {
      written += await this.write(offset + written, data.subarray(written));
    }
  }

  /** Fills `into`; past the end of the file with zeros. */
  async read(offset: number, into: Uint8Array): Promise<void> {
    const filled = await readAll(this.#handle, into, offset);
    into.fill(0, filled);
  }

  async truncate(sizeBytes: number): Promise<void> {
    await this.#handle.truncate(sizeBytes);
  }

  async sync(): Promise<void> {
    try {
      await this.#handle.datasync();
    } catch (error) {
      throw explainDiskFailure(error, dirname(this.path));
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Makes a spool of these bytes. */
export async function writeSpool(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { mode: 0o600 });
}

/** A spool that was never made is as good as removed. */
export async function removeSpool(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
