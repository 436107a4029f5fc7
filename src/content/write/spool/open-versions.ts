import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import { contentName, versionKey } from '../../content-version.ts';
import { ContentError, type ContentReader, type ContentVersion, type OpenVersion } from '../../ports.ts';
import type { VersionOrigin } from './extent-map.ts';
import { FETCH_BYTES, type FetchTurns } from './fetch-turns.ts';

/** A fetch for the spool. */
interface Fetch {
  readonly sizeBytes: number;
  /** Has the bytes until it settles. */
  readonly place: (chunks: readonly Uint8Array[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * The versions that a draft builds on, each open from when it is first read until the draft is closed. A program's read
 * begins at once; what parts and the spool need takes turns with that of other drafts.
 */
export class OpenVersions {
  readonly #reader: ContentReader;
  readonly #turns: FetchTurns;
  readonly #open = new Map<string, OpenVersion>();
  #closed = false;

  constructor(reader: ContentReader, turns: FetchTurns) {
    this.#reader = reader;
    this.#turns = turns;
  }

  /** For a program. Rejects as `OpenVersion.read` does, and when the version has not all of these bytes. */
  async read(
    { version, offset }: VersionOrigin,
    sizeBytes: number,
    signal: AbortSignal,
  ): Promise<ByteChunks> {
    const bytes = await this.#versionOf(version).read(offset, sizeBytes, { signal });
    const givenBytes = bytes.chunks.reduce((sum, { length }) => sum + length, 0);
    if (givenBytes === sizeBytes) return bytes;
    bytes.release?.();
    throw new ContentError('failed', `${contentName(version)} has no ${sizeBytes} bytes at ${offset}`);
  }

  /** For a part: fills `into`. */
  async copy(origin: VersionOrigin, into: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < into.length; at += FETCH_BYTES) {
      const piece = into.subarray(at, at + FETCH_BYTES);
      const copy = async (): Promise<void> => {
        const from = { ...origin, offset: origin.offset + at };
        const { chunks, release } = await this.read(from, piece.length, signal);
        let copied = 0;
        for (const chunk of chunks) {
          piece.set(chunk, copied);
          copied += chunk.length;
        }
        release?.();
      };
      await this.#turns.intoParts.run(copy, signal);
    }
  }

  /** For the spool: at most `FETCH_BYTES`. */
  async fetch(origin: VersionOrigin, { sizeBytes, place, signal }: Fetch): Promise<void> {
    const fetch = async (): Promise<void> => {
      const { chunks, release } = await this.read(origin, sizeBytes, signal);
      try {
        await place(chunks);
      } finally {
        release?.();
      }
    };
    await this.#turns.intoSpools.run(fetch, signal);
  }

  close(): void {
    this.#closed = true;
    for (const version of this.#open.values()) version.close();
    this.#open.clear();
  }

  #versionOf(version: ContentVersion): OpenVersion {
    const key = versionKey(version);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    if (this.#closed) throw new ContentError('failed', 'the draft is closed');
    const opened = this.#reader.open(version);
    this.#open.set(key, opened);
    return opened;
  }
}
