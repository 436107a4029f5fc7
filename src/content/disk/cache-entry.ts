import type { ByteRange } from '../byte-range.ts';
import { BLOCK_STATE, type BlockIo, DISK_BLOCK_BYTES, EVICTED } from './block-io.ts';
import type { EntryFiles, EntryPlace } from './entry-files.ts';
import { readHeader, writeHeader } from './entry-header.ts';

/** The result of one read. */
export interface EntryRead {
  /** Relative to the start of what was read. */
  readonly missing: readonly ByteRange[];
  readonly damagedBlocks: number;
}

/**
 * One version's bytes in the cache, open. Its descriptors stay good after an eviction: bytes read then are right, and
 * bytes written are lost. The flag `evicted` says that an eviction was noticed: the next user makes the entry anew.
 */
export class CacheEntry {
  readonly place: EntryPlace;
  readonly #files: EntryFiles;
  readonly #blocks: BlockIo;
  #users = 0;
  #retired = false;
  evicted = false;

  constructor(place: EntryPlace, files: EntryFiles, blocks: BlockIo) {
    this.place = place;
    this.#files = files;
    this.#blocks = blocks;
  }

  /** Of the file with the blocks, which is as large as the version. */
  get dataDescriptor(): number {
    return this.#files.data.fd;
  }

  /** Fills `into` from a block boundary on with what is there. */
  async read(offset: number, into: Uint8Array): Promise<EntryRead> {
    const states = new Uint8Array(Math.ceil(into.length / DISK_BLOCK_BYTES));
    const { data, index } = this.#files;
    const answer = await this.#blocks.read(data.fd, index.fd, offset / DISK_BLOCK_BYTES, into, states);
    if (answer === EVICTED) this.evicted = true;
    return { missing: missingRanges(states, into.length), damagedBlocks: countDamaged(states) };
  }

  /** Keeps whole blocks, or up to the end of the version. */
  async write(offset: number, bytes: Uint8Array): Promise<void> {
    const { data, index } = this.#files;
    const answer = await this.#blocks.write(data.fd, index.fd, offset / DISK_BLOCK_BYTES, bytes);
    if (answer === EVICTED) this.evicted = true;
  }

  /** Bytes that are there; none when it was evicted, for nobody finds them any more. */
  async countBytes(): Promise<number> {
    const { nlink } = await this.#files.index.stat();
    if (nlink === 0) {
      this.evicted = true;
      return 0;
    }
    const { sizeBytes } = this.place;
    const last = Math.ceil(sizeBytes / DISK_BLOCK_BYTES) - 1;
    const [before, all] = await Promise.all([this.#count(last), this.#count(last + 1)]);
    return before * DISK_BLOCK_BYTES + (all - before) * (sizeBytes - last * DISK_BLOCK_BYTES);
  }

  /** Whether all that is there was written, or found to be right, in this run of the machine. */
  async isOfRun(bootId: string): Promise<boolean> {
    return (await readHeader(this.#files.index))?.bootId === bootId;
  }

  /** All that is there is of this run, and the next use need not look at it. */
  async setRun(bootId: string): Promise<void> {
    const { index } = this.#files;
    const header = await readHeader(index);
    if (header !== undefined && header.bootId !== bootId) await writeHeader(index, { ...header, bootId });
  }

  /** When the data was last changed by anyone (stat(2), st_ctim). */
  async changedMs(): Promise<number> {
    return (await this.#files.data.stat()).ctimeMs;
  }

  /** It was used: the time of the index is what eviction goes by. */
  async touch(nowMs: number): Promise<void> {
    await this.#files.index.utimes(nowMs / 1000, nowMs / 1000);
  }

  /** False: it is closed already. */
  use(): boolean {
    if (this.#retired && this.#users === 0) return false;
    this.#users += 1;
    return true;
  }

  async release(): Promise<void> {
    this.#users -= 1;
    await this.#closeUnlessUsed();
  }

  /** Out of the table: closes with its last user. */
  async retire(): Promise<void> {
    if (this.#retired) return;
    this.#retired = true;
    await this.#closeUnlessUsed();
  }

  #count(blocks: number): Promise<number> {
    return this.#blocks.count(this.#files.index.fd, blocks);
  }

  async #closeUnlessUsed(): Promise<void> {
    if (!this.#retired || this.#users > 0) return;
    await Promise.all([this.#files.index.close(), this.#files.data.close()]);
  }
}

function countDamaged(states: Uint8Array): number {
  let count = 0;
  for (const state of states) if (state === BLOCK_STATE.damaged) count += 1;
  return count;
}

/** Bytes that are rather fetched again than left out between two ranges: about what a request costs. */
const WORTH_A_REQUEST_BYTES = 256 * 1024;

/** The ranges to fetch of a span whose blocks are in these states: few ranges, relative to its start. */
function missingRanges(states: Uint8Array, lengthBytes: number): readonly ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let block = 0; block < states.length; block += 1) {
    if (states[block] === BLOCK_STATE.present) continue;
    const start = block * DISK_BLOCK_BYTES;
    const end = Math.min(start + DISK_BLOCK_BYTES, lengthBytes);
    const last = ranges.at(-1);
    if (last !== undefined && start - last.end <= WORTH_A_REQUEST_BYTES) {
      ranges[ranges.length - 1] = { start: last.start, end };
    } else {
      ranges.push({ start, end });
    }
  }
  return ranges;
}
