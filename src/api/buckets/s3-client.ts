import { S3Client } from '@aws-sdk/client-s3';
import { fromIni } from '@aws-sdk/credential-provider-ini';
import type { Agent } from 'undici';
import type { BucketAccess, BucketKeys } from './bucket-access.ts';
import { UndiciHandler } from './undici-handler.ts';

/** Where a store is, and how buckets are addressed there. */
export interface StorePlace {
  /** Undefined: AWS's own of the region. */
  readonly url: string | undefined;
  /** As far as somebody has told it. */
  readonly region: string | undefined;
  readonly pathStyle: boolean;
}

const AWS_HOST = /^s3(?:[.-](?:dualstack\.)?(?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com(?:\.cn)?$/;

/** AWS names a bucket in the host; most other stores have one certificate for one host, and the bucket in the path. */
export function storePlace(access: BucketAccess, endpointOfVolume: string | undefined): StorePlace {
  const endpoint = access.endpoint ?? urlOf(endpointOfVolume);
  const aws = endpoint === undefined ? undefined : AWS_HOST.exec(new URL(endpoint).hostname);
  const isAws = endpoint === undefined || aws !== null;
  return {
    url: isAws ? undefined : endpoint,
    region: access.region ?? aws?.groups?.['region'],
    pathStyle: access.pathStyle ?? !isAws,
  };
}

/** The platform names a host alone. */
function urlOf(endpoint: string | undefined): string | undefined {
  if (!endpoint) return undefined;
  return /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
}

/** Where AWS has buckets whose region nobody named, and what stores without regions take. */
export const DEFAULT_REGION = 'us-east-1';

export function s3Client({ url, region, pathStyle }: StorePlace, keys: BucketKeys, agent: Agent): S3Client {
  return new S3Client({
    ...(url === undefined ? {} : { endpoint: url }),
    region: region ?? DEFAULT_REGION,
    forcePathStyle: pathStyle,
    followRegionRedirects: true,
    // The SDK's own checksums are unknown to many stores, and would be part of signed addresses.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: credentialsOf(keys),
    requestHandler: new UndiciHandler(agent),
  });
}

interface ReadKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Programs write new keys into the AWS files, and do not say until when those are good: so often they are read anew. */
const READ_AGAIN_MS = 10 * 60_000;

function credentialsOf(keys: BucketKeys): ReadKeys | (() => Promise<ReadKeys>) {
  if ('accessKeyId' in keys) {
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  }
  // With a profile that is named no other source counts: not the environment, and not the role of the machine.
  const read = fromIni({ profile: keys.profile, ignoreCache: true });
  return async () => {
    const found = await read();
    const again = Date.now() + READ_AGAIN_MS;
    return { ...found, expiration: new Date(Math.min(again, found.expiration?.getTime() ?? again)) };
  };
}
