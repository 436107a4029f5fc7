/** A handle on a version: gathers segments for each read, lends them out, and feeds its readahead. */

import type { FileRecord } from '../../api/model.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import {
  ContentError,
  type ContentVersion,
  type ObjectState,
  type OpenVersion,
  type Waiting,
} from '../ports.ts';
import { Readahead, type ReadaheadOptions } from './readahead.ts';
import type { Segment } from './segment.ts';
import type { SegmentCache } from './segment-cache.ts';
import { BLOCK_BYTES } from './segment-index.ts';
import type { SourceRegistry } from './source-registry.ts';
import type { VersionSource } from './version-source.ts';

/** A gap that a reader waits for is fetched in about so many ranges at once, which are neither small nor very large. */
const DEMAND_RANGES = 4;
const SMALLEST_DEMAND_BYTES = 256 * 1024;
const LARGEST_DEMAND_BYTES = 4 * 1024 * 1024;

export interface OpenSourceOptions extends ReadaheadOptions {
  readonly registry: SourceRegistry;
}

export class OpenSource implements OpenVersion {
  readonly version: ContentVersion;
  readonly #options: OpenSourceOptions;
  #source: VersionSource;
  #readahead: Readahead;
  #verifying: Promise<void> | undefined;
  #verified: boolean;
  #closed = false;

  constructor(version: ContentVersion, options: OpenSourceOptions) {
    this.version = version;
    this.#options = options;
    const { source, verified } = options.registry.open(version);
    this.#source = source;
    this.#source.opened();
    this.#verified = verified;
    this.#readahead = new Readahead(source, options);
  }

  prepare(): Promise<FileRecord> | undefined {
    return this.#closed ? undefined : this.#source.prepare();
  }

  inspect(signal: AbortSignal): Promise<ObjectState> {
    return untilAborted(this.#source.inspect(signal), signal);
  }

  read(offset: number, sizeBytes: number, waiting: Waiting): ByteChunks | Promise<ByteChunks> {
    if (this.#closed) throw new ContentError('failed', 'read after close');
    const end = Math.min(offset + sizeBytes, this.version.sizeBytes);
    if (end <= offset) return { chunks: [] };
    if (this.#verified) return this.#read(offset, end, waiting);
    this.#verifying ??= this.#verify();
    return untilAborted(this.#verifying, waiting.signal).then(() => this.#read(offset, end, waiting));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#readahead.close();
    this.#leave();
  }

  #read(offset: number, end: number, waiting: Waiting): ByteChunks | Promise<ByteChunks> {
    const splices = waiting.splices ?? false;
    const reach = this.#readahead.onRead(offset, end, splices);
    const segments: Segment[] = [];
    try {
      this.#gather(segments, { offset, end, reach });
      this.#readahead.fill();
    } catch (error) {
      for (const segment of segments) this.#options.cache.unpin(segment);
      throw error;
    }
    const handedOn = splices ? this.#handOn(segments, offset, end) : undefined;
    if (handedOn !== undefined) return handedOn;
    const missing = segments.flatMap((segment) => segment.until(end) ?? []);
    this.#options.cache.countRead(missing.length === 0);
    if (missing.length === 0) return lend(segments, offset, end, this.#options.cache);
    return this.#lendOnceThere(segments, missing, { offset, end, signal: waiting.signal });
  }

  #handOn(segments: readonly Segment[], offset: number, end: number): ByteChunks | undefined {
    const { cache } = this.#options;
    const [segment] = segments;
    const handedOn = segments.length === 1 ? segment?.handOn(offset, end) : undefined;
    if (segment === undefined || handedOn === undefined) return undefined;
    const { chunks, rest } = handedOn;
    const release = (): void => {
      const reads = handedOn.release();
      cache.countSpliced(segment.front - offset, reads);
      if (segment.front > end) this.#wentOn(end, segment.front);
      cache.unpin(segment);
    };
    return { chunks, rest, release };
  }

  /** Was read by who takes bytes off sockets, and needed nothing of ours. */
  #wentOn(offset: number, end: number): void {
    this.#readahead.onRead(offset, end, true);
    this.#readahead.fill();
  }

  async #lendOnceThere(
    segments: readonly Segment[],
    missing: readonly Promise<void>[],
    range: { readonly offset: number; readonly end: number; readonly signal: AbortSignal },
  ): Promise<ByteChunks> {
    try {
      await untilAborted(Promise.all(missing), range.signal);
    } catch (error) {
      for (const segment of segments) this.#options.cache.unpin(segment);
      throw error;
    }
    return lend(segments, range.offset, range.end, this.#options.cache);
  }

  /** Adds the segments that cover a range, pinned; fetches of its gaps are started, the last one up to `reach` if memory has room. */
  #gather(
    segments: Segment[],
    { offset, end, reach }: { readonly offset: number; readonly end: number; readonly reach: number },
  ): void {
    const { cache } = this.#options;
    const { index, fetch } = this.#source;
    const blockEnd = (at: number): number =>
      Math.min(Math.ceil(at / BLOCK_BYTES) * BLOCK_BYTES, this.version.sizeBytes);
    const demandEnd = blockEnd(end);
    const limit = Math.max(demandEnd, blockEnd(reach));
    let next = index.at(offset) === undefined ? index.gapStart(offset) : offset;
    const demandBytes = end < reach ? limit - next : demandRangeBytes(limit - next);
    while (next < end) {
      const gapLimit = Math.min(next + demandBytes, limit);
      const segment =
        index.at(next) ??
        cache.load({ index, offset: next, end: index.gapEnd(next, gapLimit), fetch }, demandEnd);
      cache.pin(segment);
      segments.push(segment);
      next = segment.end;
    }
  }

  /** Content that can change is checked at open, once; when it changed, this handle goes on with what is there now. */
  async #verify(): Promise<void> {
    try {
      await this.#source.verify(NEVER_ABORTED);
    } catch (error) {
      this.#verifying = undefined;
      if (this.#closed || !(error instanceof ContentError) || error.kind !== 'changed') throw error;
      this.#leave();
      this.#source = this.#options.registry.replace(this.version);
      this.#source.opened();
      this.#readahead = new Readahead(this.#source, this.#options);
    }
    this.#verified = true;
  }

  #leave(): void {
    this.#source.handles -= 1;
    this.#options.registry.tidy(this.#source);
  }
}

function demandRangeBytes(missing: number): number {
  const share = Math.ceil(missing / DEMAND_RANGES / BLOCK_BYTES) * BLOCK_BYTES;
  return Math.max(SMALLEST_DEMAND_BYTES, Math.min(share, LARGEST_DEMAND_BYTES));
}

/** Each from where the one before it ends: it may begin earlier, with what was handed on and is not in it. */
function lend(segments: readonly Segment[], offset: number, end: number, cache: SegmentCache): ByteChunks {
  const chunks: Uint8Array[] = [];
  let next = offset;
  for (const segment of segments) {
    const to = Math.min(end, segment.end);
    chunks.push(segment.lend(next, to));
    next = to;
  }
  return {
    chunks,
    release: () => {
      for (const segment of segments) cache.unpin(segment);
    },
  };
}
