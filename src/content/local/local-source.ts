import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { readAll } from '../../lib/read-all.ts';
import { ContentError } from '../ports.ts';
import type { PartContent } from '../write/parts/part-sender.ts';

/** A file of this machine, open to be copied to the platform. Its bytes are to be those that it had when it was opened. */
export class LocalSource implements PartContent {
  /** It keeps its bytes, whatever was sent. */
  readonly released = false;
  readonly sizeBytes: number;
  /** Tells this content of this file from any other, as far as the system tells. */
  readonly identity: string;
  readonly #handle: FileHandle;
  readonly #changedNs: bigint;

  private constructor(handle: FileHandle, facts: Awaited<ReturnType<typeof factsOf>>) {
    const { dev, ino, size, mtimeNs, ctimeNs } = facts;
    this.#handle = handle;
    this.#changedNs = mtimeNs;
    this.sizeBytes = Number(size);
    this.identity = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  }

  /** Rejects with the system's error, and with a `ContentError` for what is no file. */
  static async open(path: string): Promise<LocalSource> {
    // A pipe would wait for its writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await factsOf(handle);
      if (!facts.isFile()) throw new ContentError('failed', 'no regular file is there any more');
      return new LocalSource(handle, facts);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  fetchMissing(): Promise<void> {
    return Promise.resolve();
  }

  async readInto(offset: number, into: Uint8Array): Promise<void> {
    if ((await readAll(this.#handle, into, offset)) < into.length) throw changed();
  }

  /** Throws when it was written to since it was opened: what was read may be of two contents. */
  async refuseChanged(): Promise<void> {
    const { size, mtimeNs } = await factsOf(this.#handle);
    if (Number(size) !== this.sizeBytes || mtimeNs !== this.#changedNs) throw changed();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function factsOf(handle: FileHandle) {
  return handle.stat({ bigint: true });
}

function changed(): ContentError {
  return new ContentError('changed', 'it changed while it was read: copy it when nothing writes to it');
}
