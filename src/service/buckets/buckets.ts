/**
 * Finds the bucket that a volume speaks of.
 *
 * Without an endpoint it is a directory of the service's own, made when a volume is first created on it: the embedded
 * default needs no object store. `file:///DIR` as endpoint is a directory on this machine, such as a lab's NAS, and only
 * where the operator allows it: who may create volumes must not thereby read the machine's disks. Any other endpoint is
 * an object store's.
 */
import { mkdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../lib/clock.ts';
import type { Bucket } from './bucket.ts';
import { type BucketCredentials, claimBucket } from './bucket-claim.ts';
import { BucketError } from './bucket-error.ts';
import { DirectoryBucket } from './directory-bucket.ts';
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
  /** Directories below which `file://` endpoints may lie. */
  readonly allowedDirectories?: readonly string[];
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
    if (address.endpoint !== '') return;
    const root = this.#directoryOf(address);
    await mkdir(root, { recursive: true });
    await claimBucket(root, credentials);
  }

  #directoryOf({ type, bucket, endpoint }: BucketAddress): string {
    if (type !== 's3') throw new BucketError('bad-endpoint', `the service has no store of type '${type}'`);
    if (endpoint === '') return join(this.#options.directory, bucket);
    const allowed = this.#options.allowedDirectories ?? [];
    const root = fileDirectory(endpoint);
    if (root === undefined || !allowed.some((directory) => isBelow(directory, root))) {
      throw new BucketError('bad-endpoint', `the service reaches no store at '${endpoint}'`);
    }
    return join(root, bucket);
  }
}

function fileDirectory(endpoint: string): string | undefined {
  try {
    return endpoint.startsWith('file://') ? resolve(fileURLToPath(endpoint)) : undefined;
  } catch {
    return undefined;
  }
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(resolve(directory), path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
