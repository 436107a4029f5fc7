import type { ByteChunks } from '../lib/byte-chunks.ts';
import { type RequestId, SIZE, StructWriter } from './protocol/struct-writer.ts';

const NOTHING: ByteChunks = { chunks: [] };

/** The body of one reply at a time: structs written in place, then bytes that are sent from where they lie. */
export class Reply extends StructWriter {
  #bytes = NOTHING;

  /** Begins anew, behind the room for the header. */
  reset(): void {
    this.position = SIZE.OUT_HEADER;
    this.#bytes = NOTHING;
  }

  append(bytes: ByteChunks): void {
    this.#bytes = bytes;
  }

  get bytes(): ByteChunks {
    return this.#bytes;
  }

  /** Writes the header; answers how many bytes of the page belong to the message. */
  seal(error: number, request: RequestId): number {
    const length = this.position;
    this.position = 0;
    const { chunks, rest } = this.#bytes;
    let size = length + (rest?.spare.length ?? 0);
    for (const chunk of chunks) size += chunk.length;
    this.outHeader(size, error, request);
    return length;
  }
}
