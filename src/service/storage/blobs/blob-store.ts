/**
 * Where the bytes of project files live. A blob is immutable and known by a key of the store's making; files refer to it,
 * several when they are copies of one another.
 *
 * A large blob comes about as an upload in parts, each sent to an address of its own; a part sent again replaces the one
 * before. Completion names the parts by number and ETag, as in S3, and moves no bytes.
 */
import type { Readable } from 'node:stream';
import type { ByteSource, SignedAddress } from '../objects/byte-source.ts';
import type { Remains } from '../objects/remains.ts';
import type { S3Object } from '../objects/s3-object.ts';

/** Where the default storage says it is. */
export const STORAGE_LOCATION = 'cloud:local-1';

export interface StoredBlob {
  readonly key: string;
  readonly sizeBytes: number;
  /** MD5 in hexadecimal; for several parts, of their MD5s, with `-` and the number of parts. */
  readonly etag: string;
}

/** How the store knows an upload; plain data that outlives the process. */
export interface UploadTarget {
  readonly key: string;
  /** The store's own id of the upload, where it has one. */
  readonly multipartId?: string;
}

export interface PartName {
  readonly partNumber: number;
  readonly etag: string;
}

export interface OpenBlob extends ByteSource {
  /**
   * The one local file that holds exactly these bytes, where there is one. Never to be written to; a caller that links
   * it calls `unshare`.
   */
  readonly localPath?: string;
  /** The object of an S3 store that holds these bytes, where there is one. */
  readonly s3Object?: S3Object;
}

export interface BlobStore {
  beginUpload(): Promise<UploadTarget>;
  partAddress(target: UploadTarget, partNumber: number): Promise<SignedAddress>;
  /** Sizes of the parts as stored, in their order; undefined for each of which no such bytes were sent. */
  partSizes(target: UploadTarget, parts: readonly PartName[]): Promise<readonly (number | undefined)[]>;
  /** Repeatable: the same parts again give the same blob. Rejects with `MissingPartError`. */
  completeUpload(target: UploadTarget, parts: readonly PartName[]): Promise<StoredBlob>;
  abortUpload(target: UploadTarget): Promise<void>;

  /** Keeps a whole blob sent in one piece. When it resolves, the bytes are durable; past `maxBytes` nothing is kept. */
  write(bytes: Readable, maxBytes?: number): Promise<StoredBlob>;
  /** Undefined when there is no such blob. */
  open(key: string): Promise<OpenBlob | undefined>;
  downloadAddress(key: string): Promise<SignedAddress>;
  remove(key: string): Promise<void>;
  /**
   * Has the bytes for itself alone, where a link to their `localPath` was made: what is written there changes them no more.
   * Bytes that were never linked, and a blob that is gone, are left alone.
   */
  unshare(key: string): Promise<void>;

  /** Resolves when bytes can be kept and had now; otherwise rejects with what is wrong. */
  probe(): Promise<void>;
  /**
   * The remains, from before a time, of uploads that are no longer active, and of processes that ended in the middle of
   * a part. Never a blob.
   *
   * @param before Unix milliseconds
   * @param isActive By the key of an upload's target
   */
  remains(before: number, isActive: (key: string) => boolean): AsyncIterable<Remains>;
  /**
   * Blobs of parts, to be joined one after the other; undefined for a store that has none. Also removes what a process left that
   * ended while it joined some.
   *
   * @param before Unix milliseconds: what was left has not changed since
   */
  readonly parted?: (before: number) => AsyncIterable<PartedBlob>;
}

/** A blob that lies in many files, where one would serve it faster. */
export interface PartedBlob {
  /** Where it is, for the log. */
  readonly name: string;
  /** Answers whether its bytes are one file now. Safe over a crash and done by two processes at once. */
  readonly join: (signal: AbortSignal) => Promise<boolean>;
}

export class MissingPartError extends Error {
  override readonly name = 'MissingPartError';
  readonly partNumber: number;

  /** @param what The rest of a sentence that begins with the part */
  constructor(partNumber: number, what = 'is not there, or was sent again after it was reported') {
    super(`part ${partNumber} ${what}`);
    this.partNumber = partNumber;
  }
}

export interface HasBlobs {
  readonly blobs: BlobStore;
}
