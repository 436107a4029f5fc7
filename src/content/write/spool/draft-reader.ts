/** Reads a draft's bytes from where each of them is (`ExtentMap`), beside its changes. */
import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import type { DraftSpool } from './draft-spool.ts';
import type { Extent, ExtentMap } from './extent-map.ts';
import type { OpenVersions } from './open-versions.ts';
import { refuseReleased } from './refuse-released.ts';

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

  /** For a program; what lies past the end is cut. `ContentError` when some of the bytes are in the unfinished upload only. */
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
    const end = Math.min(range.end, map.sizeBytes);
    const pieces: ByteChunks[] = [];
    const release = (): void => {
      for (const piece of pieces) piece.release?.();
    };
    try {
      for (const extent of map.slice(range.start, end)) {
        pieces.push(await this.#readExtent(extent, signal));
      }
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
