import type { S3Client } from '@aws-sdk/client-s3';

/** A bucket, and a client that acts there with someone's credentials. */
export interface S3Place {
  readonly client: S3Client;
  readonly bucket: string;
  /** The identities of the bucket's store (`storeIdentity`): two places are on one store when they share one. */
  readonly stores: readonly string[];
}

/** An object that will not change. */
export interface S3Object {
  readonly place: S3Place;
  readonly key: string;
  readonly sizeBytes: number;
}

export function onOneStore(one: S3Place, other: S3Place): boolean {
  return one.stores.some((store) => other.stores.includes(store));
}

/** An ETag as a store tells it, without quotes. */
export function bareEtag(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}
