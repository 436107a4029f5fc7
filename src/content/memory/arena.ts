import { giveBackChunk } from './chunk.ts';

/** New memory of so many bytes; undefined when there is none. */
export type Allocate = (sizeBytes: number) => Buffer | undefined;

/**
 * Memory in chunks of one size, cut into blocks of powers of two (a buddy allocator). Chunks stay: what was touched once
 * is used again, the block given back last first, so a stream runs in few pages that are warm.
 *
 * Neighbours are joined only when a larger block is wanted: those who take want the same sizes again and again.
 */
export class Arena {
  /** The largest block. */
  readonly chunkBytes: number;
  readonly #chunks = new Set<ArrayBufferLike>();
  readonly #free = new Map<number, Buffer[]>();
  readonly #allocate: Allocate;

  /** @param chunkBytes A power of two. */
  constructor(chunkBytes: number, allocate: Allocate) {
    this.chunkBytes = chunkBytes;
    this.#allocate = allocate;
  }

  get reservedBytes(): number {
    return this.#chunks.size * this.chunkBytes;
  }

  /** Of memory that is there, in blocks of any size. */
  get freeBytes(): number {
    let bytes = 0;
    for (const [size, blocks] of this.#free) bytes += size * blocks.length;
    return bytes;
  }

  owns(block: Buffer): boolean {
    return this.#chunks.has(block.buffer);
  }

  /** A free block of exactly `sizeBytes`, a power of two; whatever it held before is still in it. */
  take(sizeBytes: number): Buffer | undefined {
    for (let size = sizeBytes; size <= this.chunkBytes; size *= 2) {
      const block = this.#free.get(size)?.pop();
      if (block !== undefined) return this.#cut(block, sizeBytes);
    }
    return undefined;
  }

  give(block: Buffer): void {
    const sameSize = this.#free.get(block.length);
    if (sameSize === undefined) this.#free.set(block.length, [block]);
    else sameSize.push(block);
  }

  /** False when there is no memory for it. */
  grow(): boolean {
    const chunk = this.#allocate(this.chunkBytes);
    if (chunk === undefined) return false;
    this.#chunks.add(chunk.buffer);
    this.give(chunk);
    return true;
  }

  /** Joins free neighbours to larger blocks. */
  join(): void {
    for (let size = Math.min(...this.#free.keys()); size < this.chunkBytes; size *= 2) {
      const blocks = this.#free.get(size) ?? [];
      const lone = new Map<ArrayBufferLike, Map<number, Buffer>>();
      for (const block of blocks.splice(0)) this.#joinOrKeep(block, lone);
      for (const inChunk of lone.values()) blocks.push(...inChunk.values());
    }
  }

  /** Lets go of chunks that are free as a whole, until it has let go of so many bytes. */
  shrink(bytes: number): void {
    const whole = this.#free.get(this.chunkBytes) ?? [];
    for (let left = bytes; left > 0; left -= this.chunkBytes) {
      const chunk = whole.pop();
      if (chunk === undefined) return;
      this.#chunks.delete(chunk.buffer);
      giveBackChunk(chunk);
    }
  }

  #cut(block: Buffer, sizeBytes: number): Buffer {
    let rest = block;
    while (rest.length > sizeBytes) {
      const half = rest.length / 2;
      this.give(rest.subarray(half));
      rest = rest.subarray(0, half);
    }
    return rest;
  }

  #joinOrKeep(block: Buffer, lone: Map<ArrayBufferLike, Map<number, Buffer>>): void {
    const { buffer, byteOffset, length } = block;
    const inChunk = lone.get(buffer) ?? new Map<number, Buffer>();
    lone.set(buffer, inChunk);
    const buddy = byteOffset ^ length;
    if (!inChunk.delete(buddy)) {
      inChunk.set(byteOffset, block);
      return;
    }
    this.give(Buffer.from(buffer, Math.min(byteOffset, buddy), length * 2));
  }
}
