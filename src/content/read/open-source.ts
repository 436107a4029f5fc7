/** A handle on a version: gathers segments for each read, lends them out, and feeds its readahead. */

import type { FileRecord } from '../../api/model.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import {
  ContentError,
  type ContentVersion,
  type ObjectState,
  type OpenVersion,
  type Waiting,
} from '../ports.ts';
import { isOutage } from './is-outage.ts';
import { Readahead, type ReadaheadOptions } from './readahead.ts';
import { RecentFailures } from './recent-failures.ts';
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
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Wanted {
  readonly offset: number;
  readonly end: number;
  readonly reach: number;
  /** `FetchOptions.sinceMs` */
  readonly sinceMs?: number;
}

interface Reading {
  readonly offset: number;
  readonly end: number;
  readonly signal: AbortSignal;
  readonly beganMs: number;
}

/** The segments that cover a range, pinned. */
interface Gathered {
  readonly all: Segment[];
  /** Those whose fetch this read has begun. The others were on their way before, or are there. */
  readonly own: Segment[];
}

export class OpenSource implements OpenVersion {
  readonly version: ContentVersion;
  readonly #options: OpenSourceOptions;
  readonly #failures: RecentFailures;
  #source: VersionSource;
  #readahead: Readahead;
  #verifying: Promise<void> | undefined;
  #verified: boolean;
  #closed = false;

  constructor(version: ContentVersion, options: OpenSourceOptions) {
    this.version = version;
    this.#options = options;
    this.#failures = new RecentFailures(options.clock);
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
    const failure = this.#failures.takeIn(offset, end);
    if (failure !== undefined) return Promise.reject(failure.error);
    if (this.#verified) return this.#read(offset, end, waiting);
    return this.#readVerified({ offset, end, signal: waiting.signal, beganMs: this.#now }, waiting);
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
    const gathered = this.#gather({ offset, end, reach });
    const { all: segments } = gathered;
    const handedOn = splices ? this.#handOn(segments, offset, end) : undefined;
    if (handedOn !== undefined) return handedOn;
    const missing = missingOf(gathered, end);
    this.#options.cache.countRead(missing === undefined, end - offset);
    if (missing === undefined) return lend(segments, offset, end, this.#options.cache);
    return this.#lendOnceThere(gathered, missing, {
      offset,
      end,
      signal: waiting.signal,
      beganMs: this.#now,
    });
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

  /** Was read by a caller that takes bytes off sockets, and needed no memory of ours. */
  #wentOn(offset: number, end: number): void {
    this.#readahead.onRead(offset, end, true);
    this.#readahead.fill();
  }

  /**
   * Another reader's fetch may be about to be given up when this read joins it. This read then fetches by itself, in what is
   * left of its own time.
   */
  async #lendOnceThere(first: Gathered, firstMissing: Promise<void>, reading: Reading): Promise<ByteChunks> {
    const { cache } = this.#options;
    const { offset, end, signal, beganMs } = reading;
    let gathered = first;
    let missing: Promise<void> | undefined = firstMissing;
    while (missing !== undefined) {
      try {
        await untilAborted(missing, signal);
        break;
      } catch (error) {
        for (const segment of gathered.all) cache.unpin(segment);
        if (signal.aborted || this.#closed) throw error instanceof JoinedInVain ? error.cause : error;
        if (!(error instanceof JoinedInVain)) throw this.#remembered(error, reading);
      }
      gathered = this.#gather({ offset, end, reach: end, sinceMs: beganMs });
      missing = missingOf(gathered, end);
    }
    return lend(gathered.all, offset, end, cache);
  }

  #remembered(error: unknown, { offset, end, beganMs }: Reading): unknown {
    this.#failures.add({ offset, end }, error, beganMs);
    return error;
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }

  /** Fetches of gaps are started, the last one up to `reach` if memory has room. */
  #gather(range: Wanted): Gathered {
    const gathered: Gathered = { all: [], own: [] };
    try {
      this.#gatherInto(gathered, range);
      this.#readahead.fill();
    } catch (error) {
      for (const segment of gathered.all) this.#options.cache.unpin(segment);
      throw error;
    }
    return gathered;
  }

  #gatherInto({ all, own }: Gathered, { offset, end, reach, sinceMs }: Wanted): void {
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
      let segment = index.at(next);
      if (segment === undefined) {
        const load = { index, offset: next, end: index.gapEnd(next, gapLimit), fetch, sinceMs };
        segment = cache.load(load, demandEnd);
        own.push(segment);
      }
      cache.pin(segment);
      all.push(segment);
      next = segment.end;
    }
  }

  async #readVerified(reading: Reading, waiting: Waiting): Promise<ByteChunks> {
    this.#verifying ??= this.#verify();
    try {
      await untilAborted(this.#verifying, reading.signal);
    } catch (error) {
      throw reading.signal.aborted ? error : this.#remembered(error, reading);
    }
    return this.#read(reading.offset, reading.end, waiting);
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

/** Undefined when all is there. Rejects with `JoinedInVain` when the fetch of another reader was given up. */
function missingOf({ all, own }: Gathered, end: number): Promise<void> | undefined {
  let missing: Promise<void>[] | undefined;
  for (const segment of all) {
    const there = segment.until(end);
    if (there === undefined) continue;
    missing ??= [];
    missing.push(own.includes(segment) ? there : there.catch(joinedInVain));
  }
  return missing && Promise.all(missing).then(() => undefined);
}

function joinedInVain(error: unknown): never {
  throw isOutage(error) ? new JoinedInVain(error) : error;
}

/** The fetch that a read had joined was given up: it had begun before the read. */
class JoinedInVain extends Error {
  constructor(cause: unknown) {
    super('joined a fetch that was given up', { cause });
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
