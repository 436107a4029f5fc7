import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../objects/byte-source.ts';
import { PIECE_BYTES } from '../objects/piece-buffers.ts';
import { isAbsence, type Segment } from './blob-layout.ts';
import type { OpenBlob } from './blob-store.ts';

interface OpenSegment {
  /** Which one of the blob. */
  readonly at: number;
  /** Of the blob's bytes, its first and the one after its last. */
  readonly begin: number;
  readonly end: number;
  readonly handle: FileHandle;
}

interface Files {
  /** As they were known once. */
  readonly segments: readonly Segment[];
  /** As they are now; undefined when the blob is gone. */
  readonly anew: () => Promise<readonly Segment[] | undefined>;
}

/**
 * A blob of one file or many. The file that was read last stays open, so a removal takes nothing from a blob of one file. Parts
 * that are gone were joined: the bytes are read from the file that they became.
 */
export class DirectoryBlob implements OpenBlob {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly localPath?: string;
  #segments: readonly Segment[];
  readonly #anew: Files['anew'];
  #current: OpenSegment;

  private constructor(key: string, { segments, anew }: Files, first: FileHandle) {
    this.sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    this.etag = key;
    this.#segments = segments;
    this.#anew = anew;
    this.#current = { ...this.#place(0, 0), handle: first };
    const [only, another] = segments;
    if (only !== undefined && another === undefined) this.localPath = only.path;
  }

  /** Undefined when the blob has been removed. */
  static async open(key: string, { segments: known, anew }: Files): Promise<DirectoryBlob | undefined> {
    for (let segments: readonly Segment[] | undefined = known; segments !== undefined; ) {
      try {
        return new DirectoryBlob(key, { segments, anew }, await open(segments[0]?.path ?? '', 'r'));
      } catch (error) {
        if (!isAbsence(error)) throw error;
        segments = otherThan(segments, await anew());
      }
    }
    return undefined;
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
    for (;;) {
      const current = this.#current;
      let { at, begin, end } = position < current.begin ? this.#place(0, 0) : current;
      while (position >= end && at < this.#segments.length - 1)
        ({ at, begin, end } = this.#place(at + 1, end));
      if (at === current.at) return current;
      try {
        const handle = await open(this.#segments[at]?.path ?? '', 'r');
        await this.#replace({ at, begin, end, handle });
      } catch (error) {
        const segments = isAbsence(error) ? otherThan(this.#segments, await this.#anew()) : undefined;
        if (segments === undefined) throw error;
        this.#segments = segments;
        // The file that is open is none of these: the place is looked for from the first on.
        this.#current = { ...current, at: -1, begin: Number.POSITIVE_INFINITY };
      }
    }
  }

  async #replace(opened: OpenSegment): Promise<void> {
    const { handle } = this.#current;
    this.#current = opened;
    await handle.close();
  }

  #place(at: number, begin: number): Omit<OpenSegment, 'handle'> {
    return { at, begin, end: begin + (this.#segments[at]?.sizeBytes ?? 0) };
  }

  async close(): Promise<void> {
    await this.#current.handle.close();
  }
}

/** Undefined when these are the same files, which are gone then. */
function otherThan(
  known: readonly Segment[],
  now: readonly Segment[] | undefined,
): readonly Segment[] | undefined {
  return now?.[0]?.path === known[0]?.path ? undefined : now;
}
