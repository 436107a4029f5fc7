/**
 * The bytes of a draft: a spool file and the map of what is in it. Changes are made one after the other, so that bytes
 * fetched into the spool never land on newer ones; reads go beside them.
 */
import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import type { ContentReader, ContentVersion } from '../../ports.ts';
import { ChangeTurns } from './change-turns.ts';
import { DraftReader } from './draft-reader.ts';
import { DraftSpool, type DraftSpoolOptions } from './draft-spool.ts';
import { type Extent, ExtentMap, hasReleased, isReleased, wholeCopyIn } from './extent-map.ts';
import type { FetchTurns } from './fetch-turns.ts';
import { MissingBytes } from './missing-bytes.ts';
import { OpenVersions } from './open-versions.ts';
import { refuseReleased } from './refuse-released.ts';

export interface DraftContentOptions {
  readonly spool: DraftSpoolOptions;
  readonly reader: ContentReader;
  readonly memory: MemoryPool;
  readonly fetchTurns: FetchTurns;
  readonly extents: readonly Extent[];
  /** Called before a change of the spool, with the range whose bytes are going to be others. */
  readonly beforeChange: (range: ByteRange) => void;
  /** Called when the disk has refused a change: all bytes are as before it. */
  readonly onUnchanged: () => Promise<void>;
  /** To be waited for before a byte in the spool is changed. */
  readonly mayChange: () => Promise<void> | undefined;
  /** Called after each change with the range whose bytes are others now. */
  readonly onChange: (range: ByteRange) => void;
  /** Called when the spool lets go of a range. */
  readonly onRelease: (range: ByteRange) => void;
}

export class DraftContent {
  readonly #options: DraftContentOptions;
  readonly #map: ExtentMap;
  /** The content as it was when the making of a file began, without later changes. */
  #unchanged: ExtentMap | undefined;
  readonly #turns = new ChangeTurns();
  readonly #spool: DraftSpool;
  readonly #versions: OpenVersions;
  readonly #reader: DraftReader;
  readonly #missing: MissingBytes;

  constructor(options: DraftContentOptions) {
    this.#options = options;
    const { reader, memory, fetchTurns, mayChange } = options;
    const map = new ExtentMap(options.extents);
    const spool = new DraftSpool(options.spool);
    const versions = new OpenVersions(reader, fetchTurns);
    this.#map = map;
    this.#spool = spool;
    this.#versions = versions;
    this.#reader = new DraftReader({ map, spool, versions, memory });
    this.#missing = new MissingBytes({ map, spool, versions, turns: this.#turns, mayChange });
    spool.account(map);
  }

  get sizeBytes(): number {
    return this.#map.sizeBytes;
  }

  /** Some bytes are in the spool. */
  get spooled(): boolean {
    return !this.#spool.isEmpty;
  }

  /** As they are now, and not as they come to be: the journal writes them later, too. */
  get extents(): readonly Extent[] {
    return [...this.#map.extents];
  }

  /** The bytes in the spool that the extents name survive the end of the machine. */
  get onDisk(): boolean {
    return this.#spool.onDisk;
  }

  /** The disk refused some of the bytes: those that are read back may be others. */
  get doubtful(): boolean {
    return this.#spool.doubtful;
  }

  /** Some bytes are in the unfinished upload only: they can be neither read nor changed until it is completed. */
  get released(): boolean {
    return hasReleased(this.#map.extents);
  }

  /** The bytes still to be fetched. */
  get missingBytes(): number {
    return this.#missing.sizeBytes;
  }

  /** Every byte of a range was written here. */
  isLocal(range: ByteRange): boolean {
    return this.#map.localBytesIn(range.start, range.end) === range.end - range.start;
  }

  wholeCopyOf(): ContentVersion | undefined {
    return wholeCopyIn(this.#map.extents);
  }

  /** Waits for room before its turn and not in it: what makes room may be this draft's own publication. */
  write(offset: number, data: Uint8Array, signal: AbortSignal): Promise<number> {
    const added = data.length - this.#map.localBytesIn(offset, offset + data.length);
    const write = (): Promise<number> => this.#write(offset, data);
    return this.#spool.withRoom(added, () => this.#turns.change(offset, write, signal), signal);
  }

  truncate(sizeBytes: number, signal: AbortSignal): Promise<void> {
    return this.#turns.change(sizeBytes, () => this.#truncate(sizeBytes), signal);
  }

  copyFrom(
    source: ContentVersion,
    sourceOffset: number,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<void> {
    const copy = async (): Promise<void> => this.#copyFrom(source, sourceOffset, range);
    return this.#turns.change(range.start, copy, signal);
  }

  /** All bytes are those of a version at the service, if `stillTrue` when it comes to it: the spool gives up its own. */
  rebase(version: ContentVersion, stillTrue: () => boolean): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#spool.isClosed || !stillTrue()) return;
      this.#map.truncate(0);
      this.#map.set(0, version.sizeBytes, { kind: 'version', version, offset: 0 });
      // Reads that began before still take bytes from the spool.
      await this.#reader.ended();
      await this.#spool.truncate(0);
      this.#spool.account(this.#map);
    });
  }

  /**
   * Gives up the room of ranges whose bytes the service has. The ranges are asked for by `held` when the turn comes,
   * since a change under way may touch one of them. The extents are saved by `makeDurable` first: a later mount must not
   * take the zeros in the spool for content. When that fails, the ranges stay as they are.
   */
  release(held: () => readonly ByteRange[], makeDurable: () => Promise<void>): Promise<void> {
    return this.#turns.run(async () => {
      // Not after the map and the journal say that they are gone.
      await this.#spool.requireHoles(this.#map.sizeBytes);
      const local = held().filter((range) => this.isLocal(range));
      for (const range of local) {
        this.#map.set(range.start, range.end, { kind: 'released' });
        this.#options.onRelease(range);
      }
      try {
        await this.#orHeld(local, makeDurable());
        await this.#reader.ended();
        for (const range of local) await this.#spool.punchHole(range);
      } finally {
        this.#spool.account(this.#map);
      }
    });
  }

  /** Has a file made of all of it: its bytes stay as they are until then. */
  makeFile<T>(make: () => Promise<T>): Promise<T> {
    return this.#turns.keep(
      () => this.#map.sizeBytes,
      () => {
        this.#unchanged = new ExtentMap(this.#map.extents);
        return make();
      },
    );
  }

  /**
   * The file is made: what of it was not changed since, and was released to it or taken from versions, can be read from there.
   * The versions may go away.
   */
  endFile(version: ContentVersion): void {
    const inFile = (this.#unchanged?.extents ?? []).filter(({ origin }) => origin.kind !== 'hole');
    this.#unchanged = undefined;
    const released = inFile.flatMap(({ start, end }) => this.#map.slice(start, end).filter(isReleased));
    const taken = inFile.flatMap((extent) => this.#map.unchangedOf(extent));
    for (const { start, end } of [...released, ...taken])
      this.#map.set(start, end, { kind: 'version', version, offset: start });
  }

  read(range: ByteRange, signal: AbortSignal): Promise<ByteChunks> {
    return this.#reader.read(range, signal);
  }

  /**
   * Fills `into`. Holes, and bytes past the present end, are zeros. Bytes that are not in the spool come from their
   * version.
   */
  readInto(start: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#reader.readInto(start, into, signal);
  }

  /** All bytes; undefined when they are more than `mostBytes`, or not all known to be here. */
  async readWhole(mostBytes: number, signal: AbortSignal): Promise<Buffer | undefined> {
    await this.settled();
    const { sizeBytes } = this.#map;
    if (sizeBytes > mostBytes || this.doubtful || this.released || this.missingBytes > 0) return undefined;
    const bytes = Buffer.alloc(sizeBytes);
    await this.readInto(0, bytes, signal);
    return bytes;
  }

  /** Fetches into the spool what a range still has from versions, as far as there is room for it. */
  fetchMissing(range: ByteRange, signal: AbortSignal): Promise<void> {
    return this.#missing.fetch(range, signal);
  }

  /** Fetches all that is still in versions, and waits for room as a writer does. */
  fetchAll(signal: AbortSignal): Promise<void> {
    return this.#missing.fetchAll(signal);
  }

  /** Resolves when the changes asked for so far are made. */
  async settled(): Promise<void> {
    await this.#turns.run(async () => {});
  }

  /** Rejects, once it has, until none of the bytes are in the spool any more. */
  async sync(): Promise<void> {
    await this.settled();
    await this.#spool.sync();
  }

  /** Gives up the spool file: removed, or left on the disk for a later recovery. */
  close(options: { readonly keepSpool: boolean }): Promise<void> {
    return this.#turns.run(() => {
      this.#versions.close();
      return this.#spool.close(options);
    });
  }

  async #write(offset: number, data: Uint8Array): Promise<number> {
    refuseReleased(this.#map.slice(offset, offset + data.length));
    const range = { start: Math.min(this.#map.sizeBytes, offset), end: offset + data.length };
    const written = await this.#orUnchanged(range, () => this.#spool.write(offset, data));
    const size = this.#map.sizeBytes;
    this.#map.set(offset, offset + written, { kind: 'local' });
    this.#changed({ start: Math.min(size, offset), end: offset + written });
    return written;
  }

  async #truncate(sizeBytes: number): Promise<void> {
    const size = this.#map.sizeBytes;
    if (sizeBytes === size) return;
    if (sizeBytes > 0) refuseReleased(this.#map.slice(sizeBytes, size));
    const range = { start: Math.min(size, sizeBytes), end: Math.max(size, sizeBytes) };
    await this.#orUnchanged(range, async () => {
      // The map alone would do for a file. The spool shrinks too, since it may be kept for a person, and to give back its
      // room.
      if (sizeBytes < size) await this.#spool.truncate(sizeBytes);
    });
    this.#map.truncate(sizeBytes);
    this.#changed(range);
  }

  /** Ranges are let go of once that is durable; when it fails, they are in the spool as before. */
  async #orHeld(ranges: readonly ByteRange[], durable: Promise<void>): Promise<void> {
    try {
      await durable;
    } catch (error) {
      const released = ranges.flatMap(({ start, end }) => this.#map.slice(start, end).filter(isReleased));
      for (const { start, end } of released) this.#map.set(start, end, { kind: 'local' });
      throw error;
    }
  }

  #copyFrom(version: ContentVersion, offset: number, { start, end }: ByteRange): void {
    const size = this.#map.sizeBytes;
    refuseReleased(this.#map.slice(start, end));
    this.#map.set(start, end, { kind: 'version', version, offset });
    this.#changed({ start: Math.min(size, start), end });
  }

  /** Changes the bytes of a range, or leaves all as they were: the disk refuses a change as a whole. */
  async #orUnchanged<T>(range: ByteRange, change: () => Promise<T>): Promise<T> {
    try {
      this.#options.beforeChange(range);
      await this.#options.mayChange();
      return await change();
    } catch (error) {
      await this.#options.onUnchanged();
      throw error;
    }
  }

  #changed(range: ByteRange): void {
    this.#unchanged?.set(range.start, range.end, { kind: 'hole' });
    this.#spool.account(this.#map);
    this.#options.onChange(range);
  }
}
