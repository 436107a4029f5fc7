import { isUtf8 } from 'node:buffer';
import { FsError, NotTextError } from '../../vfs/errors/fs-error.ts';

const TWO_TO_32 = 0x1_0000_0000;

/**
 * Reads the fields of one request after another, little-endian as on every platform we build for. The order of fields is
 * that of the struct in linux/fuse.h.
 *
 * A 64-bit field comes as the type of its use. Our own node ids and handles are small by construction. Offsets are EFBIG
 * beyond 2^53, seconds are signed, and other fields are a bigint.
 */
export class BodyReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #position = 0;
  #end = 0;

  constructor(memory: ArrayBufferLike) {
    this.#bytes = Buffer.from(memory);
    this.#view = new DataView(memory);
  }

  /** Goes to the `length` bytes at `offset` of the memory. */
  seek(offset: number, length: number): void {
    this.#position = offset;
    this.#end = offset + length;
  }

  /** A reader of the same fields in memory of their own, from where this one stands. */
  copy(): BodyReader {
    const bytes = Uint8Array.from(this.#bytes.subarray(this.#position, this.#end));
    const reader = new BodyReader(bytes.buffer);
    reader.seek(0, bytes.length);
    return reader;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  skip(bytes: number): void {
    this.#position += bytes;
  }

  u32(): number {
    const at = this.#take(4);
    return this.#view.getUint32(at, true);
  }

  big(): bigint {
    const at = this.#take(8);
    return this.#view.getBigUint64(at, true);
  }

  /** A node id, a file handle or a count of ours. */
  id(): number {
    const at = this.#take(8);
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * TWO_TO_32;
  }

  /** An offset or length in a file. EFBIG where a number is no longer exact. */
  offset(): number {
    const value = this.id();
    if (!Number.isSafeInteger(value)) throw new FsError('EFBIG', 'offset beyond 2^53');
    return value;
  }

  /** A length that is only an upper bound: `cp` asks to copy 2^63 bytes. */
  bound(): number {
    return Math.min(this.id(), Number.MAX_SAFE_INTEGER);
  }

  /** Seconds since the epoch, before it too. */
  seconds(): number {
    const at = this.#take(8);
    return this.#view.getUint32(at, true) + this.#view.getInt32(at + 4, true) * TWO_TO_32;
  }

  /** `length` bytes as they lie in the slot, not copied. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** A name or a link's target: EILSEQ when not UTF-8. How long it may be is not decided here. */
  text(): string {
    const start = this.#position;
    const end = this.#bytes.indexOf(0, start);
    if (end < 0 || end >= this.#end) throw new FsError('EINVAL', 'a string without its end');
    this.#position = end + 1;
    const text = this.#bytes.toString('utf8', start, end);
    if (text.includes('\ufffd') && !isUtf8(this.#bytes.subarray(start, end))) {
      throw new NotTextError(this.#bytes.subarray(start, end));
    }
    return text;
  }

  #take(length: number): number {
    const at = this.#position;
    if (at + length > this.#end) throw new FsError('EINVAL', 'the request is shorter than its struct');
    this.#position = at + length;
    return at;
  }
}
