import { HeadBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../lib/clock.ts';
import { BucketError } from '../objects/bucket-error.ts';
import type { S3Role } from '../s3/assumed-role.ts';
import { type CopySizes, S3_COPY_SIZES } from '../s3/copy-object.ts';
import { guardedHost, guardedLookup } from '../s3/guarded-lookup.ts';
import { type S3Access, S3Clients, type S3Keys } from '../s3/s3-clients.ts';
import {
  checkEndpoint,
  isOperators,
  parseS3Endpoint,
  type S3Endpoint,
  storeIdentity,
} from '../s3/s3-endpoint.ts';
import type { BucketCredentials } from './bucket-credentials.ts';
import { ContentTypes } from './content-types.ts';
import { S3Bucket } from './s3-bucket.ts';

export interface S3BucketsOptions {
  /** Hosts and networks that an endpoint may lead to although the policy refuses them. */
  readonly allowedEndpoints: readonly string[];
  /** The operator's own store of volumes, if there is one. */
  readonly defaultEndpoint?: string | undefined;
  /** The store that gives roles; undefined: AWS alone does. */
  readonly stsEndpoint?: string | undefined;
  readonly clock: Clock;
  readonly copySizes?: CopySizes;
}

const REGIONS_REMEMBERED = 1000;
/** Where AWS has buckets whose region nobody named, and what stores without regions take. */
const DEFAULT_REGION = 'us-east-1';

/** Buckets of S3 stores, each under the credentials of its volume. */
export class S3Buckets {
  readonly #options: S3BucketsOptions;
  readonly #clients: S3Clients;
  /** Of stores that the operator named: they are where they are. */
  readonly #ownClients = new S3Clients();
  readonly #contentTypes: ContentTypes;
  /** By endpoint and bucket. */
  readonly #regions = new LRUCache<string, string>({ max: REGIONS_REMEMBERED });

  constructor(options: S3BucketsOptions) {
    this.#options = options;
    this.#contentTypes = new ContentTypes(options.clock);
    const { allowedEndpoints } = options;
    this.#clients = new S3Clients({
      lookup: guardedLookup(allowedEndpoints),
      refused: guardedHost(allowedEndpoints),
    });
  }

  /** @throws BucketError `bad-endpoint` when the policy refuses the endpoint, `role-refused` */
  async open(
    address: { readonly endpoint: string; readonly bucket: string },
    credentials: BucketCredentials,
  ): Promise<S3Bucket> {
    const { allowedEndpoints, stsEndpoint, clock, copySizes = S3_COPY_SIZES } = this.#options;
    const { bucket } = address;
    const own = isOperators(address.endpoint, this.#options);
    if (!own) checkEndpoint(address.endpoint, allowedEndpoints);
    const clients = own ? this.#ownClients : this.#clients;
    const endpoint = parseS3Endpoint(address.endpoint);
    if (credentials.kind === 'role') checkRoles(endpoint, stsEndpoint);
    const access = accessOf(endpoint, credentials);
    const region = await this.#regionOf(endpoint, bucket, { access, clients });
    const client = clients.get({ ...access, region });
    const place = { client, bucket, stores: [storeIdentity(endpoint)] };
    return new S3Bucket({ place, copySizes, contentTypes: this.#contentTypes, clock });
  }

  /** Signatures name the region: one that the host does not tell is asked for once. */
  async #regionOf(endpoint: S3Endpoint, bucket: string, by: Access): Promise<string> {
    const key = `${endpoint.url ?? ''} ${bucket}`;
    const known = endpoint.region ?? this.#regions.get(key);
    if (known !== undefined) return known;
    const told = await this.#toldRegion(bucket, by);
    if (told !== undefined) this.#regions.set(key, told);
    return told ?? DEFAULT_REGION;
  }

  /** Undefined when the store does not tell, or does not answer: the first real request then says what is wrong. */
  async #toldRegion(bucket: string, { access, clients }: Access): Promise<string | undefined> {
    const client = clients.get(access);
    try {
      return (await client.send(new HeadBucketCommand({ Bucket: bucket }))).BucketRegion ?? DEFAULT_REGION;
    } catch (error) {
      const { $response, $metadata } = error as RegionError;
      const told = $response?.headers?.['x-amz-bucket-region'];
      if (told !== undefined || $metadata?.httpStatusCode !== 400) return told;
    }
    return client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 })).then(
      () => DEFAULT_REGION,
      ({ Region }: RegionError) => Region,
    );
  }
}

interface Access {
  readonly access: S3Access;
  readonly clients: S3Clients;
}

/** Where an error of the SDK tells the region that was expected. */
interface RegionError {
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Region?: string;
}

/** A user who names the endpoint must not have the service sign there, under its own credentials, what another store takes. */
function checkRoles(endpoint: S3Endpoint, stsEndpoint: string | undefined): void {
  if (endpoint.url === undefined) return;
  if (stsEndpoint !== undefined && storeIdentity({ url: stsEndpoint }) === storeIdentity(endpoint)) return;
  const message = 'the service takes on no roles at that store; give the volume a pair of keys';
  throw new BucketError('role-refused', message);
}

function accessOf({ url, region, pathStyle }: S3Endpoint, credentials: BucketCredentials): S3Access {
  return { endpoint: url, region: region ?? DEFAULT_REGION, pathStyle, keys: keysOf(credentials) };
}

function keysOf(credentials: BucketCredentials): S3Keys | S3Role {
  if (credentials.kind === 'keys') {
    return { accessKeyId: credentials.accessKey, secretAccessKey: credentials.secretKey };
  }
  return { roleArn: credentials.roleArn, externalId: credentials.externalId };
}
