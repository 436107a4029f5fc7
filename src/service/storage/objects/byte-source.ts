import type { Readable } from 'node:stream';

/** An address that carries its own permission. */
export interface SignedAddress {
  /** Absolute, or beginning with `/` when the service itself serves it. */
  readonly url: string;
  readonly expiresMs: number;
}

/** First and last byte, both inclusive; `last` lies within the blob. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Bytes of known length that will not change. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
  /** Called at most once. */
  stream(range?: ByteRange): Readable;
  /**
   * Where the bytes are files of this machine: fills the buffer with those from `position` on, and answers how many one
   * read gave, 0 past the end. One call at a time.
   */
  readonly readAt?: (into: Uint8Array, position: number) => Promise<number>;
  /** Releases what `stream` or `readAt` reads; not needed after `stream`. */
  close(): Promise<void>;
}
