/**
 * Fetches the bytes into the spool that a draft still has in versions only. The version that a draft builds on may go
 * away. A part whose bytes are here holds memory for one transfer only.
 */
import type { ByteRange } from '../../byte-range.ts';
import type { ChangeTurns } from './change-turns.ts';
import type { DraftSpool } from './draft-spool.ts';
import type { Extent, ExtentMap, VersionOrigin } from './extent-map.ts';
import { FETCH_BYTES } from './fetch-turns.ts';
import type { OpenVersions } from './open-versions.ts';

export interface MissingBytesOptions {
  readonly map: ExtentMap;
  readonly spool: DraftSpool;
  readonly versions: OpenVersions;
  readonly turns: ChangeTurns;
  /** To be waited for before a byte in the spool is changed. */
  readonly mayChange: () => Promise<void> | undefined;
}

type MissingExtent = Extent & { readonly origin: VersionOrigin };

export class MissingBytes {
  readonly #options: MissingBytesOptions;

  constructor(options: MissingBytesOptions) {
    this.#options = options;
  }

  get sizeBytes(): number {
    const missing = this.#options.map.extents.filter(isMissing);
    return missing.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /** Fetches those of a range, as far as there is room for them. */
  async fetch(range: ByteRange, signal: AbortSignal): Promise<void> {
    const { spool } = this.#options;
    for (const extent of this.#in(range)) {
      const fetched = await spool.tryWithRoom(extent.end - extent.start, () => this.#fetch(extent, signal));
      if (!fetched) return;
    }
  }

  /** Fetches all of them, and waits for room as a writer does. */
  async fetchAll(signal: AbortSignal): Promise<void> {
    const { map, spool } = this.#options;
    for (const extent of this.#in({ start: 0, end: map.sizeBytes }))
      await spool.withRoom(extent.end - extent.start, () => this.#fetch(extent, signal), signal);
  }

  /** In pieces, each as it is when it comes to it. */
  *#in(range: ByteRange): Generator<MissingExtent> {
    for (let start = range.start; start < range.end; start += FETCH_BYTES) {
      const piece = this.#options.map.slice(start, Math.min(start + FETCH_BYTES, range.end));
      yield* piece.filter(isMissing);
    }
  }

  #fetch(extent: MissingExtent, signal: AbortSignal): Promise<void> {
    const { turns, versions } = this.#options;
    return versions.fetch(extent.origin, {
      sizeBytes: extent.end - extent.start,
      place: (chunks) => turns.run(() => this.#place(extent, chunks)),
      signal,
    });
  }

  /** Writes fetched bytes where nothing else was written or copied since the fetch began. */
  async #place(fetched: MissingExtent, chunks: readonly Uint8Array[]): Promise<void> {
    const { map, spool, mayChange } = this.#options;
    // A copy may have taken the place of bytes in the spool.
    await mayChange();
    let start = fetched.start;
    for (const chunk of chunks) {
      for (const piece of map.unchangedOf(fetched, start, start + chunk.length)) {
        await spool.writeAll(piece.start, chunk.subarray(piece.start - start, piece.end - start));
        map.set(piece.start, piece.end, { kind: 'local' });
        // At once: the journal may be told before the next piece is there, and the disk may refuse that one.
        spool.account(map);
      }
      start += chunk.length;
    }
  }
}

function isMissing(extent: Extent): extent is MissingExtent {
  return extent.origin.kind === 'version';
}
