/** Requests to the store of one bucket: its place, the region in signatures, repetitions, and the words of failures. */
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import type { CallOptions } from '../call-options.ts';
import type { VolumeRecord } from '../model.ts';
import type { BucketAccess } from './bucket-access.ts';
import { bucketFailure, mayPass } from './bucket-failure.ts';
import { DEFAULT_REGION, type StorePlace, s3Client, storePlace } from './s3-client.ts';

const BACKOFF = { baseMs: 200, capMs: 5000 };
/** As long as a program may take for the ranges of a file that it has opened. A link that ends is signed anew. */
const LINK_SECONDS = 3600;

export interface BucketConnectionOptions {
  readonly access: BucketAccess;
  readonly record: Pick<VolumeRecord, 'bucket' | 'endpoint'>;
  readonly agent: Agent;
  readonly clock: Clock;
  /** How long a store that does not answer is tried. */
  readonly timeoutMs: number;
}

/** A request, for the words of its failure. */
export interface Asked {
  /** Undefined: of the bucket. */
  readonly key: string | undefined;
  /** Such as `s3:GetObject`. */
  readonly right: string;
}

export class BucketConnection {
  readonly #options: BucketConnectionOptions;
  readonly #place: StorePlace;
  #client: Promise<S3Client> | undefined;

  constructor(options: BucketConnectionOptions) {
    this.#options = options;
    this.#place = storePlace(options.access, options.record.endpoint);
  }

  /** Repeats what the store does not answer, as long as the mount is patient. */
  async send<T>(
    asked: Asked,
    request: (client: S3Client, abort: { readonly abortSignal?: AbortSignal }) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> {
    const { clock, timeoutMs } = this.#options;
    const patience = new Patience({ clock, timeoutMs, backoff: BACKOFF });
    const abort = signal === undefined ? {} : { abortSignal: signal };
    const client = await this.#connected();
    for (;;) {
      try {
        return await this.#explaining(asked, () => request(client, abort));
      } catch (error) {
        signal?.throwIfAborted();
        if (!mayPass(error) || !(await patience.anotherTry(signal))) throw error;
      }
    }
  }

  /** An address that `sign` makes, by the store's own clock, as far as the client has learnt it. Nothing is asked. */
  async link(
    asked: Asked,
    sign: (client: S3Client, signing: { expiresIn: number; signingDate: Date }) => Promise<string>,
  ): Promise<string> {
    const client = await this.#connected();
    const signingDate = new Date(this.#options.clock.now() + client.config.systemClockOffset);
    return this.#explaining(asked, () => sign(client, { expiresIn: LINK_SECONDS, signingDate }));
  }

  /** The same keys at the same store. */
  isLike(other: BucketConnection): boolean {
    const nameOf = (of: BucketConnection): string => JSON.stringify([of.#place, of.#options.access.keys]);
    return nameOf(this) === nameOf(other);
  }

  async #explaining<T>(asked: Asked, request: () => Promise<T>): Promise<T> {
    const { access, record } = this.#options;
    try {
      return await request();
    } catch (error) {
      const { volume, place } = access;
      throw bucketFailure(error, { volume, bucket: record.bucket, place, ...asked });
    }
  }

  /** Signatures name the region: AWS tells it of a bucket, also to one who has no right there. */
  #connected(): Promise<S3Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<S3Client> {
    const { access, record, agent } = this.#options;
    const client = s3Client(this.#place, access.keys, agent);
    if (this.#place.region !== undefined || this.#place.url !== undefined) return client;
    const asked = { key: undefined, right: 's3:ListBucket' };
    const region = await this.#explaining(asked, () => toldRegion(client, record.bucket));
    return region === DEFAULT_REGION ? client : s3Client({ ...this.#place, region }, access.keys, agent);
  }
}

async function toldRegion(client: S3Client, bucket: string): Promise<string> {
  try {
    return (await client.send(new HeadBucketCommand({ Bucket: bucket }))).BucketRegion ?? DEFAULT_REGION;
  } catch (error) {
    const { $response } = error as {
      readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
    };
    const told = $response?.headers?.['x-amz-bucket-region'];
    if (told === undefined) throw error;
    return told;
  }
}
