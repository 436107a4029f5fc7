/**
 * Finds the bucket that a volume speaks of.
 *
 * Without an endpoint it is a directory of the service's own, made when a volume is first created on it: the embedded
 * default needs no object store. An operator may lay a link to another directory there, such as a lab's NAS; who
 * creates a volume cannot, and so reaches no other part of the machine's disks. An endpoint is an object store's.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Bucket } from './bucket.ts';
import { type BucketCredentials, claimBucket } from './bucket-claim.ts';
import { BucketError } from './bucket-error.ts';
import { DirectoryBucket } from './directory-bucket.ts';
import { removeIncomingRemains } from './incoming-remains.ts';
import { SortedLevels } from './sorted-levels.ts';

/** The part of a volume that says where its objects are. */
export interface BucketAddress {
  /** Lower case, as `s3`. */
  readonly type: string;
  readonly bucket: string;
  /** Empty: the service's own directories. */
  readonly endpoint: string;
}

export interface BucketsOptions {
  /** Directory of the service's own buckets. */
  readonly directory: string;
  readonly clock: Clock;
}

export class Buckets {
  readonly #options: BucketsOptions;
  readonly #levels: SortedLevels;

  constructor(options: BucketsOptions) {
    this.#options = options;
    this.#levels = new SortedLevels(options.clock);
  }

  /** @throws BucketError `bad-endpoint` when nothing here serves that address */
  async open(address: BucketAddress): Promise<Bucket> {
    return new DirectoryBucket(this.#directoryOf(address), this.#levels, this.#options.clock);
  }

  /**
   * What has to be done before a volume uses a bucket: one of the service's own is made, and bound to the credentials.
   *
   * @throws BucketError `bad-endpoint`, `unknown-key`, `wrong-secret`
   */
  async prepare(address: BucketAddress, credentials: BucketCredentials): Promise<void> {
    const root = this.#directoryOf(address);
    await mkdir(root, { recursive: true });
    await claimBucket(root, credentials);
  }

  /** Removes what processes that ended left half written in the service's own buckets. Answers how much there was. */
  removeRemains(before: number): Promise<number> {
    return removeIncomingRemains(this.#options.directory, before);
  }

  #directoryOf({ type, bucket, endpoint }: BucketAddress): string {
    if (type !== 's3') throw new BucketError('bad-endpoint', `the service has no store of type '${type}'`);
    if (endpoint !== '')
      throw new BucketError('bad-endpoint', `the service reaches no store at '${endpoint}'`);
    return join(this.#options.directory, bucket);
  }
}
