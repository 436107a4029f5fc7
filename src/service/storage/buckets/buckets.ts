/**
 * Finds the bucket of a volume.
 *
 * An endpoint belongs to an object store. Without one, and without the operator's default, the bucket is a directory of
 * the service's own. It is made when a volume is first created on it: the embedded default needs no object store. An
 * operator may lay a link to another directory there, such as a lab's NAS. A user who creates a volume cannot, and so
 * reaches no other part of the machine's disks.
 */
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import type { Bucket } from '../objects/bucket.ts';
import { BucketError } from '../objects/bucket-error.ts';
import { makeDirectory } from '../objects/durable-file.ts';
import type { Remains } from '../objects/remains.ts';
import { loadS3 } from '../s3/load-s3.ts';
import { checkResolved, isOperators, parseS3Endpoint, storeIdentity } from '../s3/s3-endpoint.ts';
import { claimBucket } from './bucket-claim.ts';
import type { BucketCredentials } from './bucket-credentials.ts';
import { DirectoryBucket } from './directory-bucket.ts';
import { incomingRemains } from './incoming-remains.ts';
import type { S3Buckets } from './s3-buckets.ts';
import { SortedLevels } from './sorted-levels.ts';

/** The part of a volume that says where its objects are. */
export interface BucketAddress {
  /** Lower case, as `s3`. */
  readonly type: string;
  readonly bucket: string;
  /** Empty: the default one, or the service's own directories. */
  readonly endpoint: string;
}

export interface BucketsOptions {
  /** Directory of the service's own buckets. */
  readonly directory: string;
  /** The store of volumes that name none; undefined: the directories. */
  readonly defaultEndpoint?: string | undefined;
  /** The store, other than AWS, that gives roles to take on. */
  readonly stsEndpoint?: string | undefined;
  /** Hosts and networks that endpoints may lead to although they are refused by default. */
  readonly allowedEndpoints: readonly string[];
  readonly clock: Clock;
}

export class Buckets {
  readonly #options: BucketsOptions;
  readonly #levels: SortedLevels;
  #s3: Promise<S3Buckets> | undefined;

  constructor(options: BucketsOptions) {
    this.#options = options;
    this.#levels = new SortedLevels(options.clock);
  }

  /** @throws BucketError `bad-endpoint` when nothing here serves that address */
  async open(address: BucketAddress, credentials: BucketCredentials): Promise<Bucket> {
    const endpoint = this.#endpointOf(address);
    if (endpoint !== undefined) {
      this.#s3 ??= this.#loadS3();
      return (await this.#s3).open({ bucket: address.bucket, endpoint }, credentials);
    }
    return new DirectoryBucket(this.#directoryOf(address), this.#levels, this.#options.clock);
  }

  /**
   * Prepares a bucket for a volume: one of the service's own is made, and bound to the credentials.
   *
   * @throws BucketError `bad-endpoint`, `unknown-key`, `wrong-secret`
   */
  async prepare(address: BucketAddress, credentials: BucketCredentials): Promise<void> {
    if (this.#endpointOf(address) !== undefined) return;
    const root = this.#directoryOf(address);
    await makeDirectory(root);
    await claimBucket(root, credentials);
  }

  /**
   * Looks where the endpoint that a user named leads. @throws BucketError `bad-endpoint`
   */
  async checkEndpoint({ endpoint }: BucketAddress): Promise<void> {
    if (endpoint === '' || isOperators(endpoint, this.#options)) return;
    await checkResolved(endpoint, this.#options.allowedEndpoints);
  }

  /** The same for two addresses that lead to one bucket. @throws BucketError `bad-endpoint` */
  identityOf(address: BucketAddress): string {
    const endpoint = this.#endpointOf(address);
    const store = endpoint === undefined ? 'directory' : storeIdentity(parseS3Endpoint(endpoint));
    return `${store} ${address.bucket}`;
  }

  /** Half-written files in the service's own buckets, left by processes that ended before a time. */
  remains(before: number): AsyncGenerator<Remains> {
    return incomingRemains(this.#options.directory, before);
  }

  /** Undefined: a directory. */
  #endpointOf({ type, endpoint }: BucketAddress): string | undefined {
    if (type !== 's3') throw new BucketError('bad-endpoint', `the service has no store of type '${type}'`);
    return endpoint === '' ? this.#options.defaultEndpoint : endpoint;
  }

  #directoryOf({ bucket }: BucketAddress): string {
    return join(this.#options.directory, bucket);
  }

  async #loadS3(): Promise<S3Buckets> {
    const { S3Buckets } = await loadS3(() => import('./s3-buckets.ts'));
    return new S3Buckets(this.#options);
  }
}

export interface HasBuckets {
  readonly buckets: Buckets;
}
