/** The objects of one volume, in its bucket: what the platform's API has no call for, or asks a job for. */
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import type { CallOptions } from '../call-options.ts';
import { unquoted } from '../etag.ts';
import type { VolumeObjectRecord, VolumeRecord } from '../model.ts';
import type { BucketAccess } from './bucket-access.ts';
import { bucketFailure, isAbsent, mayPass } from './bucket-failure.ts';
import { DEFAULT_REGION, type StorePlace, s3Client, storePlace } from './s3-client.ts';

const BACKOFF = { baseMs: 200, capMs: 5000 };
/** As long as a program may take for the ranges of a file that it has opened. A link that ends is signed anew. */
const LINK_SECONDS = 3600;

export interface S3BucketOptions {
  readonly access: BucketAccess;
  readonly record: VolumeRecord;
  readonly agent: Agent;
  readonly clock: Clock;
  /** How long a store that does not answer is tried. */
  readonly timeoutMs: number;
}

/** A request, for the words of its failure. */
interface Asked {
  /** Undefined: of the bucket. */
  readonly key: string | undefined;
  /** Such as `s3:GetObject`. */
  readonly right: string;
}

export class S3Bucket {
  readonly #options: S3BucketOptions;
  readonly #place: StorePlace;
  readonly #prefix: string;
  #client: Promise<S3Client> | undefined;

  constructor(options: S3BucketOptions) {
    this.#options = options;
    const { access, record } = options;
    this.#place = storePlace(access, record.endpoint);
    this.#prefix = record.prefix
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => `${segment}/`)
      .join('');
  }

  /** Signed here: nothing is asked. */
  async link(location: string): Promise<string> {
    const client = await this.#connected();
    const { bucket } = this.#options.record;
    const command = new GetObjectCommand({ Bucket: bucket, Key: this.#key(location) });
    const signing = this.#asked(location, 's3:GetObject');
    return this.#explaining(signing, () => getSignedUrl(client, command, this.#signing(client)));
  }

  async head(location: string, options?: CallOptions): Promise<VolumeObjectRecord | undefined> {
    const { bucket } = this.#options.record;
    const command = new HeadObjectCommand({ Bucket: bucket, Key: this.#key(location) });
    const found = await this.#send(
      this.#asked(location, 's3:GetObject'),
      (client, abort) =>
        client.send(command, abort).catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
          return undefined;
        }),
      options,
    );
    return found && this.#recordOf(location, found);
  }

  /** As the store answers a request for bytes, which has more to tell than that for a head. */
  async refusal(location: string, options?: CallOptions): Promise<Error | undefined> {
    const { bucket } = this.#options.record;
    const command = new GetObjectCommand({ Bucket: bucket, Key: this.#key(location), Range: 'bytes=0-0' });
    try {
      await this.#send(
        this.#asked(location, 's3:GetObject'),
        async (client, abort) => (await client.send(command, abort)).Body?.transformToByteArray(),
        options,
      );
      return undefined;
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
  }

  #key(location: string): string {
    return this.#prefix + location;
  }

  #asked(location: string, right: string): Asked {
    return { key: this.#key(location), right };
  }

  /** By the store's own clock, as far as the client has learnt it. */
  #signing(client: S3Client): { readonly expiresIn: number; readonly signingDate: Date } {
    return {
      expiresIn: LINK_SECONDS,
      signingDate: new Date(this.#options.clock.now() + client.config.systemClockOffset),
    };
  }

  /** Repeats what the store does not answer, as long as the mount is patient. */
  async #send<T>(
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

  /** With what listings of the platform have in `metadata`. */
  #recordOf(location: string, head: HeadObjectCommandOutput): VolumeObjectRecord {
    const { id, bucket } = this.#options.record;
    const { ContentLength, LastModified, ContentType, StorageClass } = head;
    const etag = unquoted(head.ETag);
    return {
      volume: id,
      location,
      sizeBytes: ContentLength,
      etag,
      modifiedMs: LastModified?.getTime(),
      metadata: {
        bucket,
        name: this.#key(location),
        size: ContentLength,
        etag,
        updated: LastModified?.toISOString(),
        contentType: ContentType,
        storageClass: StorageClass ?? 'STANDARD',
      },
    };
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
