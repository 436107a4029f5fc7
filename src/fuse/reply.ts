import { SIZE, StructWriter } from './protocol/struct-writer.ts';

const NO_CHUNKS: readonly Uint8Array[] = [];

/** The body of one reply at a time: structs written in place, then chunks of bytes that are sent from where they lie. */
export class Reply extends StructWriter {
  #chunks: readonly Uint8Array[] = NO_CHUNKS;
  #chunkBytes = 0;

  /** Begins anew, behind the room for the header. */
  reset(): void {
    this.position = SIZE.OUT_HEADER;
    this.#chunks = NO_CHUNKS;
    this.#chunkBytes = 0;
  }

  append(chunks: readonly Uint8Array[]): void {
    this.#chunks = chunks;
    this.#chunkBytes = 0;
    for (const chunk of chunks) this.#chunkBytes += chunk.byteLength;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Writes the header; answers how many bytes of the page belong to the message. */
  seal(error: number, unique: bigint): number {
    const length = this.position;
    this.position = 0;
    this.outHeader(length + this.#chunkBytes, error, unique);
    return length;
  }
}
