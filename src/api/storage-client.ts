/** Stores of contents, as the file system uses them by signed links. */
import type { SocketBytes, TakenBytes } from '../lib/byte-chunks.ts';
import type { SignedUrl } from './model.ts';
import type { SendOptions } from './transport/paced-body.ts';

/** A store's answer to a range, before its bytes come. */
export interface RangeAnswer {
  readonly etag: string | undefined;
  /** Undefined: the store does not tell. */
  readonly objectSizeBytes: number | undefined;
  /** MD5 in hex of the whole object, where the ETag is one. */
  readonly md5?: string | undefined;
}

export interface RangeToRead {
  readonly offset: number;
  readonly into: Uint8Array;
  readonly expectedEtag?: string | undefined;
  /** Called before the first byte of an answer counts; what it throws refuses the answer and rejects the read. */
  readonly onAnswer?: ((answer: RangeAnswer) => void) | undefined;
  /** The first so many bytes of `into` are there for good. */
  readonly onProgress?: ((receivedBytes: number) => void) | undefined;
  /** Called at most once, when the rest of the range can be taken off its socket in place of being received. */
  readonly onWaiting?: ((body: WaitingBody) => void) | undefined;
  /** When the wait for it began (`Clock.monotonic`): the time for a store that brings nothing counts from then. Default: now. */
  readonly sinceMs?: number | undefined;
}

/**
 * The rest of a range, which waits in the kernel for a caller that can use it there (splice(2)). It does not wait for
 * long: it is received then, as if nothing had been said.
 */
export interface WaitingBody {
  /** Where in the range the rest begins: what is before was received, or lent. */
  readonly position: number;
  /**
   * The next `into.length` bytes, if all of them are there, and what comes after them, of which nothing need be there. Nothing else
   * is received or lent until they are released.
   */
  lend(into: Uint8Array, after: Uint8Array): LentBytes | undefined;
  /** Waits no longer: the rest is received. */
  receive(): void;
}

export interface LentBytes extends SocketBytes {
  /**
   * Done with them. Answers what was taken; bytes that nobody took are gone with their connection, and what follows comes over
   * another one.
   */
  release(): TakenBytes;
}

/** A store's answer to a part that it took. */
export interface StoredPart {
  /** Without quotes. */
  readonly etag: string;
  /** MD5 in hex of what arrived; undefined when the ETag is something else. */
  readonly md5: string | undefined;
}

/**
 * Signed URLs, which are not API calls: no token, no rate limit. Rejects with a `StorageError`, whose kind says
 * whether a new link, a new try or neither may help.
 */
export interface StorageClient {
  /**
   * Reads `[offset, offset + into.length)` of an object into `into`, resuming at the byte after a reset, and answers
   * the object's validator. The range must lie within the object.
   */
  getRange(url: string, range: RangeToRead, signal?: AbortSignal): Promise<RangeAnswer>;
  /**
   * Has so many idle connections to a store, or on their way, as far as the limit allows: what is asked of it next
   * finds them. Never fails; a later request tells why there is none.
   *
   * @param origin Such as `https://host:port`
   */
  connectAhead(origin: string, connections: number): void;
  /** Sends one part. `body` is not changed until the promise settles. Whether it arrived as it was is for the caller. */
  putPart(target: SignedUrl, body: Uint8Array, options?: SendOptions): Promise<StoredPart>;
  /** Ranges and parts that are under way are rejected. */
  close(): Promise<void>;
}
