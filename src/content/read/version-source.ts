/**
 * One version's bytes at the service: its link, its validator, and the index of its cached bytes. All handles that have
 * the version open share it.
 *
 * A platform file is immutable; after its export its links lead to the object that has its bytes. The content of an alias
 * or a volume object can change under its name. Its first answer pins the ETag, and every later answer must carry the
 * same. A handle opened later checks once that the ETag still holds.
 */

import { ApiError, StorageError } from '../../api/errors.ts';
import { unquoted } from '../../api/etag.ts';
import type { FileRecord } from '../../api/model.ts';
import type { RangeAnswer, StorageClient } from '../../api/storage-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { contentName, etagOf } from '../content-version.ts';
import type { CachedVersion } from '../disk/cached-version.ts';
import type { DiskCache } from '../disk/disk-cache.ts';
import { fetchThroughDisk } from '../disk/fetch-through-disk.ts';
import type { Fetched, FetchOptions, FetchRange } from '../fetch-range.ts';
import { ContentError, type ContentVersion, type ObjectState } from '../ports.ts';
import { type ContentLink, contentLink, contentLinkAndFile, type ReadApi } from './content-link.ts';
import { isOutage } from './is-outage.ts';
import { usableUntilMs } from './link-expiry.ts';
import { SegmentIndex } from './segment-index.ts';
import type { StoreOrigins } from './store-origins.ts';

interface HeldLink {
  readonly link: Promise<ContentLink>;
  isThere: boolean;
  /** Its end, once it is there and says so. */
  untilMs: number;
  /** That will each take a connection when it is there. */
  rangesWaiting: number;
}

interface Range {
  readonly offset: number;
  readonly into: Uint8Array;
}

/** Facts about the object in a link or an answer; undefined: not told. */
interface Told {
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly md5?: string | undefined;
}

interface RemoteOptions extends FetchOptions {
  /** Called before bytes count; what it throws ends the fetch. */
  readonly accept: (told: Told) => void;
}

const RANGE_NOT_SATISFIABLE = 416;
const EMPTY_OBJECT: ObjectState = { etag: undefined, sizeBytes: 0 };

export interface SourceDependencies {
  readonly api: Omit<ReadApi, 'downloadOrigin'>;
  readonly storage: StorageClient;
  readonly origins: StoreOrigins;
  readonly clock: Clock;
  readonly disk?: DiskCache | undefined;
}

export class VersionSource {
  readonly version: ContentVersion;
  readonly index: SegmentIndex;
  /** Fills `into`, from the disk cache as far as it can; rejects as `fetchRemote` does. */
  readonly fetch: FetchRange;
  handles = 0;
  readonly #deps: SourceDependencies;
  #held: HeldLink | undefined;
  #wasLinked = false;
  #etag: string | undefined;
  #isAnswered = false;
  /** The platform has the bytes of the file no more: an export made an object of them. */
  #isExported = false;
  #cached: CachedVersion | undefined;

  constructor(version: ContentVersion, deps: SourceDependencies, onUnused: (source: VersionSource) => void) {
    this.version = version;
    this.#deps = deps;
    this.#etag = etagOf(version);
    this.index = new SegmentIndex(() => onUnused(this));
    const { disk } = deps;
    const fetch: FetchRange = (...range) => this.fetchRemote(...range);
    this.fetch = disk ? fetchThroughDisk({ disk, version: () => this.cached, fetch }) : fetch;
  }

  /** By a handle, for as long as it is there. */
  opened(): void {
    this.handles += 1;
  }

  get unused(): boolean {
    return this.handles === 0 && this.index.empty;
  }

  /** The validator of the bytes: undefined until an answer told it, for a platform file until it was exported. */
  get etag(): string | undefined {
    return this.#etag;
  }

  /** The store tells nothing by which its bytes could be known for those of another time. */
  get lacksValidator(): boolean {
    return this.version.kind !== 'file' && this.#isAnswered && this.#etag === undefined;
  }

  /** To the disk cache; undefined while the validator is unknown that belongs to it. */
  get cached(): CachedVersion | undefined {
    this.#cached ??= this.#deps.disk?.versionOf(this.version, this.#etag);
    return this.#cached;
  }

  /** Fills `into` from the service; rejects with `ContentError` or what the API said. */
  async fetchRemote(offset: number, into: Uint8Array, options: FetchOptions): Promise<Fetched> {
    try {
      await this.#fetch({ offset, into }, { ...options, accept: (told) => this.#pin(told) });
      return {};
    } catch (error) {
      throw await this.#explained(error);
    }
  }

  /**
   * Has the link on its way before the first read. Not for what was read before: the kernel, this cache or the one on disk may
   * have all that is read of it now.
   */
  prepare(): Promise<FileRecord> | undefined {
    if (this.#wasLinked || this.version.sizeBytes === 0 || this.#deps.disk !== undefined) return undefined;
    this.#connectAhead(1);
    const asked = contentLinkAndFile(this.#deps.api, this.version);
    this.#hold(asked?.then(({ link }) => link) ?? contentLink(this.#deps.api, this.version));
    const told = asked?.then(({ file }) => file);
    told?.catch(() => {});
    return told;
  }

  /** Checks with the store that the pinned ETag still holds. */
  async verify(signal: AbortSignal): Promise<void> {
    await this.fetchRemote(0, new Uint8Array(1), { signal });
  }

  /**
   * Asks the store what is there now. The API tells neither that the object behind an alias was replaced nor its size, and a
   * signed link allows nothing but GET: so it is asked for one byte.
   */
  async inspect(signal: AbortSignal): Promise<ObjectState> {
    let state: ObjectState = EMPTY_OBJECT;
    const accept = ({ etag, sizeBytes = this.version.sizeBytes, md5 }: Told): void => {
      state = { etag: unquoted(etag), sizeBytes, ...(md5 !== undefined && { md5 }) };
    };
    try {
      await this.#fetch({ offset: 0, into: new Uint8Array(1) }, { signal, accept });
    } catch (error) {
      // An empty object has no first byte.
      const isEmpty = error instanceof StorageError && error.status === RANGE_NOT_SATISFIABLE;
      if (!isEmpty) throw await this.#explained(error);
      state = EMPTY_OBJECT;
    }
    if (state.sizeBytes === this.version.sizeBytes) this.#etag ??= state.etag;
    return state;
  }

  /** Over the link in hand, and the rest over a new one when the store refuses that, or the file was exported. */
  async #fetch({ offset, into }: Range, options: RemoteOptions): Promise<void> {
    const held = await this.#heldLink(options.signal);
    let received = 0;
    const onProgress = (bytes: number): void => {
      received = bytes;
      options.onProgress?.(bytes);
    };
    try {
      await this.#fetchFrom(await held.link, { offset, into }, { ...options, onProgress });
    } catch (error) {
      // Another link may lead elsewhere: the next range asks for one, unless it was given up or the link told the truth.
      const isGood =
        error instanceof ContentError || (error instanceof StorageError && error.kind === 'changed');
      if (!isGood && !options.signal.aborted) this.#drop(held);
      if (!(error instanceof StorageError)) throw error;
      const mayBeExported = error.kind === 'missing' && this.version.kind === 'file';
      if (!error.wantsNewLink && !mayBeExported) throw error;
      if (mayBeExported) this.#isExported = true;
      const before = received;
      const rest = { offset: offset + before, into: into.subarray(before) };
      const onRest = (bytes: number): void => options.onProgress?.(before + bytes);
      const other = await this.#heldLink(options.signal);
      await this.#fetchFrom(await other.link, rest, {
        ...options,
        ...(before > 0 && { sinceMs: undefined }),
        onProgress: onRest,
        onWaiting: undefined,
      });
    }
  }

  /** No byte counts before its answer is known to be of this version: readers take bytes as they come. */
  async #fetchFrom(link: ContentLink, range: Range, options: RemoteOptions): Promise<void> {
    const { signal, onProgress, onWaiting, sinceMs, accept } = options;
    accept(link);
    const onAnswer = ({ etag, objectSizeBytes, md5 }: RangeAnswer): void => {
      accept({ etag, sizeBytes: objectSizeBytes, md5 });
      this.#isAnswered = true;
    };
    const wanted = { ...range, onAnswer, onProgress, onWaiting, sinceMs };
    await this.#deps.storage.getRange(link.url, wanted, signal);
  }

  #pin({ etag: given, sizeBytes }: Told): void {
    if (sizeBytes !== undefined && sizeBytes !== this.version.sizeBytes) {
      throw new ContentError(
        'changed',
        `${contentName(this.version)} is ${sizeBytes} bytes long now, not ${this.version.sizeBytes}`,
      );
    }
    const etag = unquoted(given);
    const canChange = this.version.kind !== 'file' || this.#isExported;
    if (!canChange || etag === undefined) return;
    this.#etag ??= etag;
    if (this.#etag !== etag) {
      throw new ContentError('changed', `${contentName(this.version)} was replaced while it was open`);
    }
  }

  /** The link in hand, or a new one for all who ask meanwhile. Not tied to one reader's signal: others share it. */
  #link(): HeldLink {
    const { api, clock } = this.#deps;
    if (this.#held !== undefined && clock.now() < this.#held.untilMs) return this.#held;
    return this.#hold(contentLink(api, this.version));
  }

  #hold(link: Promise<ContentLink>): HeldLink {
    const { clock, origins } = this.#deps;
    this.#wasLinked = true;
    const held: HeldLink = {
      link,
      isThere: false,
      untilMs: Number.POSITIVE_INFINITY,
      rangesWaiting: 0,
    };
    this.#held = held;
    link.then(
      ({ url }) => {
        held.isThere = true;
        held.untilMs = usableUntilMs(url, clock.now());
        origins.learn(this.version, url);
      },
      () => this.#drop(held),
    );
    return held;
  }

  #drop(held: HeldLink): void {
    if (this.#held === held) this.#held = undefined;
  }

  /** A link that has come. One that another reader asked for before, in vain, is asked for anew. */
  async #heldLink(signal: AbortSignal): Promise<HeldLink> {
    for (;;) {
      const before = this.#held;
      const held = this.#link();
      if (held.isThere) return held;
      held.rangesWaiting += 1;
      this.#connectAhead(held.rangesWaiting);
      try {
        // Near the rate limit it may be minutes until it comes.
        await untilAborted(held.link, signal);
        return held;
      } catch (error) {
        if (signal.aborted || held !== before || !isOutage(error)) throw error;
      }
    }
  }

  /** The way to the store takes as long as a link, or with TLS longer: both at once. */
  #connectAhead(ranges: number): void {
    const { storage, origins } = this.#deps;
    const origin = origins.expected(this.version);
    if (origin !== undefined) storage.connectAhead(origin, ranges);
  }

  async #explained(error: unknown): Promise<unknown> {
    const name = contentName(this.version);
    if (error instanceof ApiError && error.status === 404) {
      return new ContentError('changed', `${name} is gone`, { cause: error });
    }
    if (!(error instanceof StorageError)) return error;
    switch (error.kind) {
      case 'missing':
      case 'changed':
        return new ContentError('changed', `${name}: ${error.message}`, { cause: error });
      case 'refused':
        return (
          (await this.#refusalOfBucket()) ??
          new ContentError('unreadable', `${name}: a new link was refused too`, { cause: error })
        );
      case 'failed':
        return new ContentError('failed', `${name}: ${error.message}`, { cause: error });
      default:
        return error.kind satisfies never;
    }
  }

  /** A store does not tell the holder of a link what is wrong with the keys that signed it. */
  async #refusalOfBucket(): Promise<unknown> {
    const { version } = this;
    const { buckets } = this.#deps.api;
    if (version.kind !== 'object' || !buckets.has(version.volume)) return undefined;
    return buckets.refusalOf(version.volume, version.location).catch((failure: unknown) => failure);
  }
}
