import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { Bucket, ListPage, ObjectInfo } from '../storage/objects/bucket.ts';
import type { HasStore } from '../store/store.ts';
import { refuseAsService } from './bucket-failure.ts';
import { bucketOf, usableVolume, type Volume, type VolumePermission } from './volume-access.ts';
import { keyAt, keyPrefixAt, locationOf } from './volume-key.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';

export interface VolumeObjectFound {
  readonly volume: Volume;
  readonly location: string;
  readonly object: ObjectInfo;
}

export interface VolumeLevel extends ListPage {
  readonly volume: Volume;
}

/** One level of a volume's contents. @throws ServiceError 9007, 9020, 9069, 9011, 9200 to 9209 */
export async function listVolume(
  services: HasStore & HasVolumeSecrets & HasBuckets,
  caller: Caller,
  query: {
    readonly id: string;
    readonly prefix: string;
    readonly limit: number;
    readonly continuation: string | undefined;
    /** Tell content types too, where that costs the store a request for each object. */
    readonly contentTypes: boolean;
  },
): Promise<VolumeLevel> {
  const { id, limit, continuation, contentTypes } = query;
  const volume = await usableVolume(services.store, caller, { id, permission: 'read' });
  const prefix = keyPrefixAt(volume.address.prefix, query.prefix);
  const bucket = await bucketOf(services, volume);
  const page = await bucket.list({ prefix, limit, continuation, contentTypes }).catch(refuseAsService);
  return { ...page, volume };
}

/** One object, by its location. @throws ServiceError 9007, 9020, 9069, 9011, 9105, 9200 to 9209 */
export async function findVolumeObject(
  services: HasStore & HasVolumeSecrets & HasBuckets,
  caller: Caller,
  wanted: {
    readonly id: string;
    readonly location: string | undefined;
    readonly permission: VolumePermission;
  },
): Promise<VolumeObjectFound> {
  const { id, permission } = wanted;
  const volume = await usableVolume(services.store, caller, { id, permission });
  if (!wanted.location) throw new ServiceError(9011, 'The query names no location.');
  const { bucket, key } = await objectPlace(services, volume, wanted.location);
  const object = await bucket.head(key).catch(refuseAsService);
  if (object === undefined) throw new ServiceError(9105);
  return { volume, location: locationOf(volume.address.prefix, key), object };
}

/** The bucket and key of a location. @throws ServiceError 9011, 9209 */
export async function objectPlace(
  services: HasVolumeSecrets & HasBuckets,
  volume: Volume,
  location: string,
): Promise<{ readonly bucket: Bucket; readonly key: string }> {
  const key = keyAt(volume.address.prefix, location);
  return { bucket: await bucketOf(services, volume), key };
}
