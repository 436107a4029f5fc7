import { splitTime } from '../../lib/nanoseconds.ts';
import type { Attributes, Entry } from '../../vfs/file-system.ts';

const TWO_TO_32 = 0x1_0000_0000;
/** The unit of st_blocks, stat(2). */
const BLOCK_BYTES = 512;
/** st_blksize: what stdio reads at a time, however little was asked for; `cp` and `cat` read 128 KiB in any case. */
const PREFERRED_IO_BYTES = 32 * 1024;

/** Sizes in bytes of the structs of linux/fuse.h. */
export const SIZE = {
  IN_HEADER: 40,
  OUT_HEADER: 16,
  ENTRY_OUT: 128,
  DIRENT: 24,
} as const;

/** `unique` of a request, in two halves: a reply carries it as it came, and a bigint would be made for nothing. */
export interface RequestId {
  readonly uniqueLow: number;
  readonly uniqueHigh: number;
}

/** Writes structs of linux/fuse.h into a piece of memory, field after field, little-endian. */
export class StructWriter {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** Where the next field goes. */
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u16(value: number): void {
    this.#view.setUint16(this.position, value, true);
    this.position += 2;
  }

  u32(value: number): void {
    this.#view.setUint32(this.position, value, true);
    this.position += 4;
  }

  i32(value: number): void {
    this.#view.setInt32(this.position, value, true);
    this.position += 4;
  }

  /** Any safe integer; negative ones in two's complement. */
  u64(value: number): void {
    this.#view.setUint32(this.position, value, true);
    this.#view.setUint32(this.position + 4, Math.floor(value / TWO_TO_32), true);
    this.position += 8;
  }

  big(value: bigint): void {
    this.#view.setBigUint64(this.position, value, true);
    this.position += 8;
  }

  zeros(bytes: number): void {
    this.#bytes.fill(0, this.position, this.position + bytes);
    this.position += bytes;
  }

  /** UTF-8, without an end. */
  text(value: string): void {
    this.position += this.#bytes.write(value, this.position, 'utf8');
  }

  outHeader(length: number, error: number, { uniqueLow, uniqueHigh }: RequestId): void {
    this.u32(length);
    this.i32(error);
    this.u32(uniqueLow);
    this.u32(uniqueHigh);
  }

  /** `fuse_attr`, 88 bytes. st_blocks must not be zero for a file with bytes: `cp` takes it for a hole. */
  attributes(attributes: Attributes): void {
    const atime = splitTime(attributes.atimeNs);
    const mtime = splitTime(attributes.mtimeNs);
    const ctime = splitTime(attributes.ctimeNs);
    this.big(attributes.ino);
    this.u64(attributes.sizeBytes);
    this.u64(Math.ceil(attributes.sizeBytes / BLOCK_BYTES));
    this.u64(atime.seconds);
    this.u64(mtime.seconds);
    this.u64(ctime.seconds);
    this.u32(atime.nanoseconds);
    this.u32(mtime.nanoseconds);
    this.u32(ctime.nanoseconds);
    this.u32(attributes.mode);
    this.u32(attributes.nlink);
    this.u32(attributes.uid);
    this.u32(attributes.gid);
    this.u32(0); // rdev
    this.u32(PREFERRED_IO_BYTES);
    this.u32(0); // flags
  }

  /** `fuse_entry_out`. Node ids are never reused, so every generation is 0. */
  entry(entry: Entry): void {
    const entryTtl = splitDuration(entry.entryTtlMs);
    const attributesTtl = splitDuration(entry.attributesTtlMs);
    this.u64(entry.node);
    this.u64(0);
    this.u64(entryTtl.seconds);
    this.u64(attributesTtl.seconds);
    this.u32(entryTtl.nanoseconds);
    this.u32(attributesTtl.nanoseconds);
    this.attributes(entry.attributes);
  }

  /** `fuse_entry_out` of a name that is absent: node 0 is ENOENT that the kernel may remember. */
  absentEntry(ttlMs: number): void {
    const ttl = splitDuration(ttlMs);
    this.zeros(16);
    this.u64(ttl.seconds);
    this.u64(0);
    this.u32(ttl.nanoseconds);
    this.zeros(SIZE.ENTRY_OUT - 36);
  }

  /** `fuse_attr_out`. */
  attributesReply(attributes: Attributes, ttlMs: number): void {
    const ttl = splitDuration(ttlMs);
    this.u64(ttl.seconds);
    this.u32(ttl.nanoseconds);
    this.u32(0);
    this.attributes(attributes);
  }
}

const NANOSECONDS_PER_MS = 1_000_000;

/** How long the kernel may keep something: whole seconds and the rest in nanoseconds, the two fields on the wire. */
function splitDuration(ms: number): { seconds: number; nanoseconds: number } {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanoseconds: Math.round((ms - seconds * 1000) * NANOSECONDS_PER_MS) };
}
