import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../objects/byte-source.ts';
import type { Segment } from './blob-layout.ts';
import type { OpenBlob } from './blob-store.ts';

const READ_SIZE = 512 * 1024;

/** A blob of one file or many; a range is read from just the files it touches. */
export class DirectoryBlob implements OpenBlob {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly localPath?: string;
  readonly #segments: readonly Segment[];
  /** Holds the first file open, so that a removal meanwhile takes nothing from a blob of one file. */
  readonly #first: FileHandle;

  private constructor(key: string, segments: readonly Segment[], first: FileHandle) {
    this.sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    this.etag = key;
    this.#segments = segments;
    this.#first = first;
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
    const { first, last } = range ?? { first: 0, last: this.sizeBytes - 1 };
    const pieces = piecesOf(this.#segments, first, last);
    const [only] = pieces;
    if (this.localPath !== undefined && only !== undefined) {
      return this.#first.createReadStream({ start: only.start, end: only.end, highWaterMark: READ_SIZE });
    }
    void this.close();
    return Readable.from(readPieces(pieces), { objectMode: false });
  }

  async close(): Promise<void> {
    await this.#first.close();
  }
}

interface Piece {
  readonly path: string;
  /** First and last byte in that file. */
  readonly start: number;
  readonly end: number;
}

function piecesOf(segments: readonly Segment[], first: number, last: number): Piece[] {
  const pieces: Piece[] = [];
  let begin = 0;
  for (const { path, sizeBytes } of segments) {
    const start = Math.max(first - begin, 0);
    const end = Math.min(last - begin, sizeBytes - 1);
    if (start <= end) pieces.push({ path, start, end });
    begin += sizeBytes;
  }
  return pieces;
}

async function* readPieces(pieces: readonly Piece[]): AsyncGenerator<Buffer> {
  for (const { path, start, end } of pieces) {
    yield* createReadStream(path, { start, end, highWaterMark: READ_SIZE });
  }
}
