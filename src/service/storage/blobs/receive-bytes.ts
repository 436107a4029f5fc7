/**
 * Receiving a part: the largest share of what the service does, so it costs one copy, one write and one pass of MD5 for
 * each byte. Chunks come from the socket 64 KiB at a time; they are gathered into pieces, and while one piece is written
 * and hashed, both on other threads, the next one fills.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { forEachChunk } from '../../../lib/for-each-chunk.ts';
import { createMd5 } from '../../../lib/md5.ts';
import { randomId } from '../../../lib/random-id.ts';
import { releaseBytes } from '../../../lib/release-bytes.ts';
import { pieceBuffers } from '../objects/piece-buffers.ts';
import { TooManyBytesError } from '../objects/too-many-bytes-error.ts';

export interface ReceivedFile {
  /** Still a temporary name: the caller gives it a lasting one. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly md5: string;
}

/**
 * Writes the bytes to a new hidden file in `directory`, durably. Leaves nothing behind when it fails.
 *
 * A source may fail before the file is there, and unheard that would end the process.
 */
export async function receiveBytes(
  directory: string,
  bytes: Readable,
  maxBytes: number,
): Promise<ReceivedFile> {
  let failure: unknown;
  bytes.on('error', (reason) => {
    failure ??= reason;
  });
  const path = join(directory, `.${randomId()}`);
  const handle = await open(path, 'wx');
  const receiver = new Receiver(handle, maxBytes);
  // Buffers that Node's parser made for this request are nobody else's.
  const done = bytes instanceof IncomingMessage ? releaseBytes : () => undefined;
  try {
    if (failure !== undefined) throw failure;
    await forEachChunk(bytes, (chunk) => {
      const taking = receiver.take(chunk);
      if (taking !== undefined) return taking.then(() => done(chunk));
      done(chunk);
      return undefined;
    });
    const md5 = await receiver.end();
    await handle.datasync();
    await handle.close();
    return { path, sizeBytes: receiver.sizeBytes, md5 };
  } catch (error) {
    await receiver.settled();
    await handle.close().catch(() => undefined);
    await rm(path, { force: true });
    // The rest must be read all the same: on a connection that is kept, the next request comes after it.
    bytes.resume();
    throw error;
  }
}

/** Pieces that may wait to be written and hashed; when half of them do, hashing is not put off any longer. */
const MOST_PIECES = 4;

class Receiver {
  readonly #handle: FileHandle;
  readonly #maxBytes: number;
  readonly #md5 = createMd5();
  readonly #storing = new Set<Promise<void>>();
  #piece = pieceBuffers.take();
  #filled = 0;
  #storedBytes = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle, maxBytes: number) {
    this.#handle = handle;
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#storedBytes + this.#filled;
  }

  /** A promise when there is no room for all of the chunk yet: it is taken when that resolves. */
  take(chunk: Buffer): Promise<void> | undefined {
    if (this.sizeBytes + chunk.length > this.#maxBytes) throw new TooManyBytesError(this.#maxBytes);
    let rest = chunk;
    for (;;) {
      rest = rest.subarray(this.#fill(rest));
      if (rest.length === 0) return undefined;
      if (this.#storing.size === MOST_PIECES) return this.#takeLater(rest);
      this.#store();
    }
  }

  /** The MD5 of all. */
  async end(): Promise<string> {
    const last = this.#piece.subarray(0, this.#filled);
    const digest = this.#md5.end(last);
    this.#md5.hurry();
    const [md5] = await Promise.all([digest, this.#write(last), ...this.#storing]);
    pieceBuffers.giveBack(this.#piece);
    return md5;
  }

  /** Nothing is written any more. */
  async settled(): Promise<void> {
    this.#md5.hurry();
    await Promise.allSettled([this.#written, ...this.#storing]);
  }

  #fill(chunk: Buffer): number {
    const taken = chunk.copy(this.#piece, this.#filled);
    this.#filled += taken;
    return taken;
  }

  async #takeLater(rest: Buffer): Promise<void> {
    await Promise.race(this.#storing);
    await this.take(rest);
  }

  #store(): void {
    const piece = this.#piece;
    const storing = Promise.all([this.#md5.update(piece), this.#write(piece)]).then(() => {
      this.#storing.delete(storing);
      pieceBuffers.giveBack(piece);
    });
    this.#storing.add(storing);
    // A failure stays in the set, and the next caller that waits gets it.
    storing.catch(() => undefined);
    if (this.#storing.size >= MOST_PIECES / 2) this.#md5.hurry();
    this.#storedBytes += piece.length;
    this.#piece = pieceBuffers.take();
    this.#filled = 0;
  }

  #write(piece: Uint8Array): Promise<void> {
    this.#written = this.#written.then(() => this.#writeAll(piece));
    return this.#written;
  }

  async #writeAll(piece: Uint8Array): Promise<void> {
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await this.#handle.write(piece, written, piece.length - written);
      written += bytesWritten;
    }
  }
}
