/**
 * The bytes of a draft: a spool file and the map of what is in it. Changes are made one after the other, so that bytes
 * fetched into the spool never land on newer ones; reads go beside them.
 */
import { dirname } from 'node:path';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { Mutex } from '../../lib/mutex.ts';
import { syncDirectory } from '../../lib/sync-directory.ts';
import type { ByteRange } from '../byte-range.ts';
import { versionKey } from '../content-version.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { ContentError, type ContentReader, type ContentVersion, type OpenVersion } from '../ports.ts';
import { ChangeTurns } from './change-turns.ts';
import { type Extent, ExtentMap, hasReleased, isPartOf, type VersionOrigin } from './extent-map.ts';
import { FETCH_BYTES, type FetchTurns } from './fetch-turns.ts';
import { refuseReleased } from './refuse-released.ts';
import { removeSpool, SpoolFile } from './spool-file.ts';
import type { SpoolSpace, SpoolTenant } from './spool-space.ts';

export interface DraftContentOptions {
  readonly spoolPath: string;
  readonly reader: ContentReader;
  readonly memory: MemoryPool;
  readonly fetchTurns: FetchTurns;
  readonly space: SpoolSpace;
  readonly extents: readonly Extent[];
  /** What they say of the spool is on the disk. */
  readonly onDisk: boolean;
  /** Whose room the bytes take. */
  readonly tenant: SpoolTenant;
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
  /** Called when the disk has refused some of the bytes. */
  readonly onRefusal: () => void;
}

export class DraftContent {
  readonly #options: DraftContentOptions;
  readonly #map: ExtentMap;
  /** What it was when a file began to be made of it, without what was changed since. */
  #unchanged: ExtentMap | undefined;
  readonly #changes = new ChangeTurns();
  readonly #sources = new Map<string, OpenVersion>();
  readonly #reads = new Set<Promise<unknown>>();
  #spool: Promise<SpoolFile> | undefined;
  #spooledBytes = 0;
  #nameIsDurable = false;
  /** How often the spool was changed, or begun to be with what is fetched, and how many of these changes are on the disk. */
  #spoolChanges = 0;
  #changesOnDisk: number;
  readonly #syncs = new Mutex();
  /** The disk refused some of the bytes, which may be others by now: Linux tells that to one fdatasync, and no later one. */
  #refusal: { readonly reason: unknown } | undefined;
  #closed = false;

  constructor(options: DraftContentOptions) {
    this.#options = options;
    this.#map = new ExtentMap(options.extents);
    this.#changesOnDisk = options.onDisk ? 0 : -1;
    this.#account();
  }

  get sizeBytes(): number {
    return this.#map.sizeBytes;
  }

  /** Some bytes are in the spool. */
  get spooled(): boolean {
    return this.#spooledBytes > 0;
  }

  /** As they are now, and not as they come to be: the journal writes them later, too. */
  get extents(): readonly Extent[] {
    return [...this.#map.extents];
  }

  /** What the extents say of the spool survives the end of the machine. */
  get onDisk(): boolean {
    return !this.spooled || this.#changesOnDisk === this.#spoolChanges;
  }

  /** The disk refused some of the bytes: those that are read back may be others. */
  get doubtful(): boolean {
    return this.#refusal !== undefined;
  }

  /** Waits for room before its turn and not in it: what makes room may be this draft's own publication. */
  async write(offset: number, data: Uint8Array, signal: AbortSignal): Promise<number> {
    const { space, tenant } = this.#options;
    const added = data.length - this.#map.localBytesIn(offset, offset + data.length);
    await space.admit(added, { tenant, signal });
    try {
      return await this.#changes.change(offset, () => this.#write(offset, data), signal);
    } finally {
      space.resize(-added);
    }
  }

  truncate(sizeBytes: number, signal: AbortSignal): Promise<void> {
    const cut = async (): Promise<void> => {
      const size = this.#map.sizeBytes;
      if (sizeBytes === size) return;
      if (sizeBytes > 0) refuseReleased(this.#map.slice(sizeBytes, size));
      const range = { start: Math.min(size, sizeBytes), end: Math.max(size, sizeBytes) };
      await this.#orUnchanged(range, async () => {
        // For a file the map would do; but the spool may be kept for a person, and gives back its room.
        if (sizeBytes >= size || !(this.spooled || this.#spool !== undefined)) return;
        await (await this.#file()).truncate(sizeBytes);
        this.#spoolChanges += 1;
      });
      this.#map.truncate(sizeBytes);
      this.#changed(range);
    };
    return this.#changes.change(sizeBytes, cut, signal);
  }

  async copyFrom(
    source: ContentVersion,
    sourceOffset: number,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#changes.whileKept(range.start, signal);
    const size = this.#map.sizeBytes;
    refuseReleased(this.#map.slice(range.start, range.end));
    this.#map.set(range.start, range.end, { kind: 'version', version: source, offset: sourceOffset });
    this.#changed({ start: Math.min(size, range.start), end: range.end });
  }

  /** All bytes are those of a version at the service, if `stillTrue` when it comes to it: the spool gives up its own. */
  rebase(version: ContentVersion, stillTrue: () => boolean): Promise<void> {
    return this.#changes.run(async () => {
      if (this.#closed || !stillTrue()) return;
      this.#map.truncate(0);
      this.#map.set(0, version.sizeBytes, { kind: 'version', version, offset: 0 });
      // Reads that began before still take bytes from the spool.
      await Promise.allSettled(this.#reads);
      if (this.#spool !== undefined) await (await this.#spool).truncate(0);
      this.#account();
    });
  }

  /** Some bytes are in the unfinished upload only: they can be neither read nor changed until it is completed. */
  get released(): boolean {
    return hasReleased(this.#map.extents);
  }

  /**
   * Gives up the room of ranges whose bytes the service has. `held` tells of them when it comes to it: a change that was
   * under way may be of one of them. `makeDurable` saves the extents: a later mount must not take the zeros in the spool
   * for content.
   */
  release(held: () => readonly ByteRange[], makeDurable: () => Promise<void>): Promise<void> {
    return this.#changes.run(async () => {
      const local = held().filter((range) => this.isLocal(range));
      for (const range of local) {
        this.#map.set(range.start, range.end, { kind: 'released' });
        this.#options.onRelease(range);
      }
      try {
        await makeDurable();
        await Promise.allSettled(this.#reads);
        const spool = await this.#file();
        for (const { start, end } of local) await spool.punchHole(start, end);
      } finally {
        this.#account();
      }
    });
  }

  /** Has a file made of all of it: its bytes stay as they are until then. */
  makeFile<T>(make: () => Promise<T>): Promise<T> {
    return this.#changes.keep(
      () => this.#map.sizeBytes,
      () => {
        this.#unchanged = new ExtentMap(this.#map.extents);
        return make();
      },
    );
  }

  /**
   * The file is made: what was released to it, or taken from versions and not changed since, can be read from there. The
   * versions may go away.
   */
  endFile(version: ContentVersion): void {
    const released = this.#map.extents.filter(({ origin }) => origin.kind === 'released');
    const unchanged = this.#unchanged?.extents ?? [];
    const taken = unchanged.flatMap((extent) => this.#stillMissing(extent, extent.start, extent.end));
    this.#unchanged = undefined;
    for (const { start, end } of [...released, ...taken])
      this.#map.set(start, end, { kind: 'version', version, offset: start });
  }

  wholeCopyOf(): ContentVersion | undefined {
    const [only, ...others] = this.#map.extents;
    if (only?.origin.kind !== 'version' || others.length > 0) return undefined;
    const { version, offset } = only.origin;
    return offset === 0 && version.sizeBytes === only.end ? version : undefined;
  }

  /** Every byte of a range was written here. */
  isLocal(range: ByteRange): boolean {
    return this.#map.localBytesIn(range.start, range.end) === range.end - range.start;
  }

  read(range: ByteRange, signal: AbortSignal): Promise<ByteChunks> {
    return this.#tracked(this.#read(range, signal));
  }

  /** What takes bytes from the spool waits for it before it lets go of them. */
  #tracked<T>(reading: Promise<T>): Promise<T> {
    this.#reads.add(reading);
    const done = (): void => {
      this.#reads.delete(reading);
    };
    reading.then(done, done);
    return reading;
  }

  async #read(range: ByteRange, signal: AbortSignal): Promise<ByteChunks> {
    const end = Math.min(range.end, this.#map.sizeBytes);
    const pieces: ByteChunks[] = [];
    const release = (): void => {
      for (const piece of pieces) piece.release?.();
    };
    try {
      for (const extent of this.#map.slice(range.start, end)) {
        pieces.push(await this.#readExtent(extent, signal));
      }
    } catch (error) {
      release();
      throw error;
    }
    return { chunks: pieces.flatMap((piece) => piece.chunks), release };
  }

  /** What is still to be fetched of it. */
  get missingBytes(): number {
    return this.#map.extents.reduce(
      (sum, { start, end, origin }) => sum + (origin.kind === 'version' ? end - start : 0),
      0,
    );
  }

  /** Fetches into the spool what a range still has from versions, as far as there is room for it. */
  async fetchMissing(range: ByteRange, signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    for (const extent of this.#missingIn(range)) {
      const sizeBytes = extent.end - extent.start;
      if (!space.tryAdmit(sizeBytes)) return;
      await this.#fetch(extent, signal).finally(() => space.resize(-sizeBytes));
    }
  }

  /** Fetches all that is still in versions, and waits for room as a writer does. */
  async fetchAll(signal: AbortSignal): Promise<void> {
    const { space, tenant } = this.#options;
    for (const extent of this.#missingIn({ start: 0, end: this.#map.sizeBytes })) {
      const sizeBytes = extent.end - extent.start;
      await space.admit(sizeBytes, { tenant, signal });
      await this.#fetch(extent, signal).finally(() => space.resize(-sizeBytes));
    }
  }

  /** Fills `into`; holes, and what lies past the end by now, are zeros. What is not in the spool comes from its version. */
  readInto(start: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#tracked(this.#readInto(start, into, signal));
  }

  async #readInto(start: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const extents = this.#map.slice(start, start + into.length);
    refuseReleased(extents);
    into.fill(0, Math.max(0, this.#map.sizeBytes - start));
    for (const extent of extents) {
      const target = into.subarray(extent.start - start, extent.end - start);
      if (extent.origin.kind === 'local') await (await this.#file()).read(extent.start, target);
      else if (extent.origin.kind === 'version') await this.#copy(extent.origin, target, signal);
      else target.fill(0);
    }
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

  /** Resolves when the changes asked for so far are made. */
  async settled(): Promise<void> {
    await this.#changes.run(async () => {});
  }

  /** Rejects, once it has, until none of the bytes are in the spool any more. */
  async sync(): Promise<void> {
    await this.settled();
    await this.#syncs.run(() => this.#sync());
  }

  /** Gives up the spool file: removed, or left on the disk for a later recovery. */
  close(options: { readonly keepSpool: boolean }): Promise<void> {
    return this.#changes.run(async () => {
      for (const source of this.#sources.values()) source.close();
      this.#sources.clear();
      this.#options.space.resize(-this.#spooledBytes);
      this.#spooledBytes = 0;
      this.#closed = true;
      await (await this.#spool?.catch(() => undefined))?.close();
      if (!options.keepSpool) await removeSpool(this.#options.spoolPath);
    });
  }

  async #sync(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal.reason;
    if (this.onDisk) return;
    const changes = this.#spoolChanges;
    const spool = await this.#file();
    try {
      await spool.sync();
    } catch (reason) {
      this.#refusal = { reason };
      this.#options.onRefusal();
      throw reason;
    }
    if (!this.#nameIsDurable) await syncDirectory(dirname(this.#options.spoolPath));
    this.#nameIsDurable = true;
    this.#changesOnDisk = Math.max(this.#changesOnDisk, changes);
  }

  async #write(offset: number, data: Uint8Array): Promise<number> {
    refuseReleased(this.#map.slice(offset, offset + data.length));
    const range = { start: Math.min(this.#map.sizeBytes, offset), end: offset + data.length };
    const written = await this.#orUnchanged(range, async () => (await this.#file()).write(offset, data));
    this.#spoolChanges += 1;
    const size = this.#map.sizeBytes;
    this.#map.set(offset, offset + written, { kind: 'local' });
    this.#changed({ start: Math.min(size, offset), end: offset + written });
    return written;
  }

  async #readExtent(extent: Extent, signal: AbortSignal): Promise<ByteChunks> {
    const { start, end, origin } = extent;
    refuseReleased([extent]);
    if (origin.kind === 'version') {
      return this.#source(origin.version).read(origin.offset, end - start, { signal });
    }
    const buffer = this.#options.memory.acquireNow(end - start);
    const chunk = buffer.subarray(0, end - start);
    try {
      if (origin.kind === 'local') await (await this.#file()).read(start, chunk);
      else chunk.fill(0);
    } catch (error) {
      this.#options.memory.release(buffer);
      throw error;
    }
    return { chunks: [chunk], release: () => this.#options.memory.release(buffer) };
  }

  /** What of a range is in versions, in pieces, each as it is when it comes to it. */
  *#missingIn(range: ByteRange): Generator<Extent> {
    for (let start = range.start; start < range.end; start += FETCH_BYTES) {
      const piece = this.#map.slice(start, Math.min(start + FETCH_BYTES, range.end));
      yield* piece.filter(({ origin }) => origin.kind === 'version');
    }
  }

  async #copy({ version, offset }: VersionOrigin, into: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < into.length; at += FETCH_BYTES) {
      const piece = into.subarray(at, at + FETCH_BYTES);
      const copy = async (): Promise<void> => {
        const { chunks, release } = await this.#source(version).read(offset + at, piece.length, { signal });
        let copied = 0;
        for (const chunk of chunks) {
          piece.set(chunk, copied);
          copied += chunk.length;
        }
        release?.();
      };
      await this.#options.fetchTurns.intoParts.run(copy, signal);
    }
  }

  async #fetch(extent: Extent, signal: AbortSignal): Promise<void> {
    if (extent.origin.kind !== 'version') return;
    const { version, offset } = extent.origin;
    const fetch = async (): Promise<void> => {
      const bytes = await this.#source(version).read(offset, extent.end - extent.start, { signal });
      try {
        await this.#changes.run(() => this.#place(extent, bytes.chunks));
      } finally {
        bytes.release?.();
      }
    };
    await this.#options.fetchTurns.intoSpools.run(fetch, signal);
  }

  /** Writes fetched bytes where nothing else was written or copied since the fetch began. */
  async #place(fetched: Extent, chunks: readonly Uint8Array[]): Promise<void> {
    const spool = await this.#file();
    // A copy may have taken the place of bytes in the spool.
    await this.#options.mayChange();
    this.#spoolChanges += 1;
    let start = fetched.start;
    for (const chunk of chunks) {
      for (const piece of this.#stillMissing(fetched, start, start + chunk.length)) {
        await spool.writeAll(piece.start, chunk.subarray(piece.start - start, piece.end - start));
        // A copy may have been recorded meanwhile: it does not wait for its turn.
        for (const { start: from, end } of this.#stillMissing(fetched, piece.start, piece.end)) {
          this.#map.set(from, end, { kind: 'local' });
        }
      }
      start += chunk.length;
    }
    this.#account();
  }

  #stillMissing(fetched: Extent, start: number, end: number): Extent[] {
    return this.#map.slice(start, end).filter((extent) => isPartOf(extent, fetched));
  }

  #file(): Promise<SpoolFile> {
    if (this.#closed) throw new ContentError('failed', 'the draft is closed');
    this.#spool ??= SpoolFile.open(this.#options.spoolPath).catch((error: unknown) => {
      // The next who needs it may find a descriptor, or room on the disk.
      this.#spool = undefined;
      throw error;
    });
    return this.#spool;
  }

  #source(version: ContentVersion): OpenVersion {
    const key = versionKey(version);
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const source = this.#options.reader.open(version);
    this.#sources.set(key, source);
    return source;
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
    this.#account();
    this.#options.onChange(range);
  }

  #account(): void {
    if (this.#closed) return;
    const spooled = this.#map.localBytes;
    this.#options.space.resize(spooled - this.#spooledBytes);
    this.#spooledBytes = spooled;
    // What the service was sent of them stays in doubt.
    if (this.#refusal !== undefined && spooled === 0 && !this.released) this.#refusal = undefined;
  }
}
