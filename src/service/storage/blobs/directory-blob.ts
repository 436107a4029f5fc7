import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../objects/byte-source.ts';
import { PIECE_BYTES } from '../objects/piece-buffers.ts';
import type { Segment } from './blob-layout.ts';
import type { OpenBlob } from './blob-store.ts';

interface OpenSegment {
  /** Which one of the blob. */
  readonly at: number;
  /** Of the blob's bytes, its first and the one after its last. */
  readonly begin: number;
  readonly end: number;
  readonly handle: FileHandle;
}

/** A blob of one file or many. The file that was read last stays open, so a removal takes nothing from a blob of one file. */
export class DirectoryBlob implements OpenBlob {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly localPath?: string;
  readonly #segments: readonly Segment[];
  #current: OpenSegment;

  private constructor(key: string, segments: readonly Segment[], first: FileHandle) {
    this.sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    this.etag = key;
    this.#segments = segments;
    this.#current = { ...this.#place(0, 0), handle: first };
    const [only, another] = segments;
    if (only !== undefined && another === undefined) this.localPath = only.path;
  }

  /** Undefined when the blob has been removed. */
  static async open(key: string, segments: readonly Segment[]): Promise<DirectoryBlob | undefined> {
    try {
      return new DirectoryBlob(key, segments, await open(segments[0]?.path ?? '', 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  stream(range?: ByteRange): Readable {
    let position = range?.first ?? 0;
    const end = range === undefined ? this.sizeBytes : range.last + 1;
    const readNext = async (): Promise<Buffer | null> => {
      if (position >= end) return null;
      const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - position));
      const length = await this.readAt(buffer, position);
      if (length === 0) throw new Error(`blob ${this.etag} is shorter than ${this.sizeBytes} bytes`);
      position += length;
      return buffer.subarray(0, length);
    };
    const close = (): Promise<void> => this.close();
    return new Readable({
      highWaterMark: PIECE_BYTES,
      read() {
        readNext().then(
          (chunk) => this.push(chunk),
          (error) => this.destroy(error),
        );
      },
      destroy(error, done) {
        close().then(() => done(error), done);
      },
    });
  }

  readonly readAt = async (into: Uint8Array, position: number): Promise<number> => {
    const { handle, begin, end } = await this.#fileAt(position);
    const length = Math.min(into.length, end - position);
    return length <= 0 ? 0 : (await handle.read(into, 0, length, position - begin)).bytesRead;
  };

  /** The file that holds the byte at `position`; past the end the last one. */
  async #fileAt(position: number): Promise<OpenSegment> {
    const current = this.#current;
    let { at, begin, end } = position < current.begin ? this.#place(0, 0) : current;
    while (position >= end && at < this.#segments.length - 1) ({ at, begin, end } = this.#place(at + 1, end));
    if (at === current.at) return current;
    const handle = await open(this.#segments[at]?.path ?? '', 'r');
    this.#current = { at, begin, end, handle };
    await current.handle.close();
    return this.#current;
  }

  #place(at: number, begin: number): Omit<OpenSegment, 'handle'> {
    return { at, begin, end: begin + (this.#segments[at]?.sizeBytes ?? 0) };
  }

  async close(): Promise<void> {
    await this.#current.handle.close();
  }
}
