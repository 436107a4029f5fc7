/**
 * The object store that a volume needs.
 *
 * A bucket maps keys to immutable objects: a put replaces the whole object at once, and a reader goes on with what it
 * opened, or fails, but never gets bytes of both. Keys are opaque Unicode strings: the service normalises those that it
 * puts (volumes/volume-key.ts), but others may have put an object under any key. Order is that of the keys' UTF-8
 * bytes, as in S3.
 *
 * Every method rejects with a `BucketError` when the store refuses, and with the system's error otherwise.
 */
import type { Readable } from 'node:stream';
import type { ByteSource, SignedAddress } from './byte-source.ts';
import type { S3Object } from './s3-object.ts';

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
export const DEFAULT_STORAGE_CLASS = 'STANDARD';

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Without quotes. An MD5 in hex when it holds no `-`; otherwise only a validator. */
  readonly etag: string;
  readonly updatedMs: number;
  readonly contentType: string;
  readonly storageClass: string;
  /** The writer of the object, when the put named one: a worker that takes over a job recognises its own object. */
  readonly writer: string | undefined;
}

export interface ListQuery {
  /** Empty, a whole folder (`a/b/`) or the beginning of a name (`a/b/run`). */
  readonly prefix: string;
  /** The `continuation` of the page before. */
  readonly continuation?: string | undefined;
  /** At least 1; objects and prefixes count alike. */
  readonly limit: number;
  /** Ask for content types too where the store's listing does not tell them: one request for each object. */
  readonly contentTypes?: boolean | undefined;
}

/** One level below a prefix: deeper keys are folded into `prefixes`, each ending in `/`. */
export interface ListPage {
  readonly objects: readonly ObjectInfo[];
  readonly prefixes: readonly string[];
  /** Undefined on the last page. */
  readonly continuation: string | undefined;
}

/** The bytes of exactly the object that `info` describes. */
export interface OpenObject extends ByteSource {
  readonly info: ObjectInfo;
}

/** The bytes to put: a stream, an object of a store, or a file that the service holds. */
export type PutSource =
  | {
      readonly kind: 'stream';
      readonly stream: Readable;
      /** Undefined: not known before the end. */
      readonly sizeBytes?: number | undefined;
    }
  | {
      readonly kind: 'object';
      /** Copied by the store itself when the bucket is there too. */
      readonly object: S3Object;
      /** The bytes, for when that cannot be. */
      stream(): Readable;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** The file may become the object without a copy: nobody writes to it any more and its owner lets go of it. */
      readonly givenAway: boolean;
      /** MD5 of the content in hex when it is known already, so that it need not be read for it. */
      readonly md5?: string | undefined;
    };

export interface PutOptions {
  /** False: rejects with `exists` when the key is taken, also by a put that runs at the same time. */
  readonly overwrite: boolean;
  readonly contentType?: string | undefined;
  readonly storageClass?: string | undefined;
  /** `null`: none. */
  readonly serverSideEncryption?: string | null | undefined;
  readonly kmsKeyId?: string | null | undefined;
  readonly cannedAcl?: string | null | undefined;
  readonly writer?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Bucket {
  head(key: string): Promise<ObjectInfo | undefined>;
  list(query: ListQuery): Promise<ListPage>;
  /** Undefined when there is no such object. */
  open(key: string): Promise<OpenObject | undefined>;
  /** When it resolves, the object is durable. */
  put(key: string, source: PutSource, options: PutOptions): Promise<ObjectInfo>;
  /**
   * Whether objects may be put under a key: tried, and nothing is left there.
   *
   * @throws BucketError `put-denied` and others of `put`
   */
  tryPut(key: string): Promise<void>;
  /** Where the store itself serves an object, without a token; undefined when it does not. */
  addressOf(key: string, lifetimeSeconds: number): Promise<SignedAddress | undefined>;
}
