/** Reads a draft's bytes from where each of them is (`ExtentMap`), beside its changes. */
import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import type { DraftSpool } from './draft-spool.ts';
import type { Extent, ExtentMap, VersionOrigin } from './extent-map.ts';
import type { OpenVersions } from './open-versions.ts';
import { refuseReleased } from './refuse-released.ts';

/** More are read into one buffer: apart, each takes a block of memory, and a reply has room for a thousand (writev(2)). */
const MOST_PIECES = 32;

export interface DraftReaderOptions {
  readonly map: ExtentMap;
  readonly spool: DraftSpool;
  readonly versions: OpenVersions;
  readonly memory: MemoryPool;
}

export class DraftReader {
  readonly #options: DraftReaderOptions;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: DraftReaderOptions) {
    this.#options = options;
  }

  /** For a program; what lies past the end is cut. `ReleasedError` when some of the bytes are in the unfinished upload only. */
  read(range: ByteRange, signal: AbortSignal): Promise<ByteChunks> {
    return this.#tracked(this.#read(range, signal));
  }

  /** For a part: fills `into`; holes, and what lies past the end by now, are zeros. Rejects as `read` does. */
  readInto(start: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#tracked(this.#readInto(start, into, signal));
  }

  /** Settles when the reads have ended that go on now: what takes bytes from the spool waits before it lets go of them. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #tracked<T>(reading: Promise<T>): Promise<T> {
    this.#underWay.add(reading);
    const done = (): void => {
      this.#underWay.delete(reading);
    };
    reading.then(done, done);
    return reading;
  }

  async #read(range: ByteRange, signal: AbortSignal): Promise<ByteChunks> {
    const { map } = this.#options;
    const extents = map.slice(range.start, Math.min(range.end, map.sizeBytes));
    return extents.length > MOST_PIECES ? this.#readAsOne(extents, signal) : this.#readApart(extents, signal);
  }

  async #readApart(extents: readonly Extent[], signal: AbortSignal): Promise<ByteChunks> {
    const pieces: ByteChunks[] = [];
    const release = (): void => {
      for (const piece of pieces) piece.release?.();
    };
    try {
      for (const extent of extents) pieces.push(await this.#readExtent(extent, signal));
    } catch (error) {
      release();
      throw error;
    }
    return { chunks: pieces.flatMap((piece) => piece.chunks), release };
  }

  async #readExtent(extent: Extent, signal: AbortSignal): Promise<ByteChunks> {
    const { spool, versions, memory } = this.#options;
    const { start, end, origin } = extent;
    refuseReleased([extent]);
    if (origin.kind === 'version') return versions.read(origin, end - start, signal);
    const buffer = memory.acquireNow(end - start);
    const chunk = buffer.subarray(0, end - start);
    try {
      if (origin.kind === 'local') await spool.read(start, chunk);
      else chunk.fill(0);
    } catch (error) {
      memory.release(buffer);
      throw error;
    }
    return { chunks: [chunk], release: () => memory.release(buffer) };
  }

  /** Bytes between pieces in the spool are read with them, and then put in their place. */
  async #readAsOne(extents: readonly Extent[], signal: AbortSignal): Promise<ByteChunks> {
    const { spool, memory } = this.#options;
    refuseReleased(extents);
    const start = extents[0]?.start ?? 0;
    const sizeBytes = (extents.at(-1)?.end ?? start) - start;
    const buffer = memory.acquireNow(sizeBytes);
    const chunk = buffer.subarray(0, sizeBytes);
    try {
      if (extents.some(({ origin }) => origin.kind === 'local')) await spool.read(start, chunk);
      for (const { start: from, end, origin } of extents) {
        const target = chunk.subarray(from - start, end - start);
        if (origin.kind === 'version') await this.#copyVersion(origin, target, signal);
        else if (origin.kind === 'hole') target.fill(0);
      }
    } catch (error) {
      memory.release(buffer);
      throw error;
    }
    return { chunks: [chunk], release: () => memory.release(buffer) };
  }

  async #copyVersion(origin: VersionOrigin, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const { chunks, release } = await this.#options.versions.read(origin, into.length, signal);
    let copied = 0;
    for (const chunk of chunks) {
      into.set(chunk, copied);
      copied += chunk.length;
    }
    release?.();
  }

  async #readInto(start: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const { map, spool, versions } = this.#options;
    const extents = map.slice(start, start + into.length);
    refuseReleased(extents);
    into.subarray(Math.max(0, map.sizeBytes - start)).fill(0);
    for (const extent of extents) {
      const target = into.subarray(extent.start - start, extent.end - start);
      if (extent.origin.kind === 'local') await spool.read(extent.start, target);
      else if (extent.origin.kind === 'version') await versions.copy(extent.origin, target, signal);
      else target.fill(0);
    }
  }
}
