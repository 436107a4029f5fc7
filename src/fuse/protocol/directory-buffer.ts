import type { DirEntry, DirSink, Entry, NodeId } from '../../vfs/file-system.ts';
import { SIZE, StructWriter } from './struct-writer.ts';

const ALIGNMENT = 8;

/** The body of a READDIR reply: `fuse_dirent` records, each padded to 8 bytes. */
export class DirectoryBuffer implements DirSink {
  readonly #bytes: Uint8Array;
  protected readonly writer: StructWriter;

  constructor(sizeBytes: number) {
    this.#bytes = new Uint8Array(sizeBytes);
    this.writer = new StructWriter(this.#bytes);
  }

  /** The entries placed so far. */
  get filled(): Uint8Array {
    return this.#bytes.subarray(0, this.writer.position);
  }

  /** The nodes whose lookup counts went up with this reply. */
  get counted(): readonly NodeId[] {
    return [];
  }

  add(entry: DirEntry): boolean {
    return this.place(entry, 0, () => {});
  }

  /** Places one record behind `prefixBytes` that `writePrefix` fills; false when it does not fit. */
  protected place(entry: DirEntry, prefixBytes: number, writePrefix: () => void): boolean {
    const nameBytes = Buffer.byteLength(entry.name);
    const recordBytes = prefixBytes + SIZE.DIRENT + nameBytes;
    const padding = (ALIGNMENT - (recordBytes % ALIGNMENT)) % ALIGNMENT;
    if (this.writer.position + recordBytes + padding > this.#bytes.length) return false;
    writePrefix();
    this.writer.big(entry.ino);
    this.writer.u64(entry.nextOffset);
    this.writer.u32(nameBytes);
    this.writer.u32(entry.type >>> 12); // DT_DIR and the like are the type bits of st_mode
    this.writer.text(entry.name);
    this.writer.zeros(padding);
    return true;
  }
}

/** READDIRPLUS: a `fuse_entry_out` before each record, all zero where the kernel is to learn nothing. */
export class DirectoryPlusBuffer extends DirectoryBuffer {
  readonly #counted: NodeId[] = [];

  override get counted(): readonly NodeId[] {
    return this.#counted;
  }

  override add(entry: DirEntry): boolean {
    return this.place(entry, SIZE.ENTRY_OUT, () => this.writer.zeros(SIZE.ENTRY_OUT));
  }

  addWithAttributes(entry: DirEntry, found: Entry): boolean {
    const placed = this.place(entry, SIZE.ENTRY_OUT, () => this.writer.entry(found));
    if (placed) this.#counted.push(found.node);
    return placed;
  }
}
