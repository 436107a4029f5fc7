import type { VolumePermissions } from '../../contract/volume.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { bucketCredentials } from '../storage/buckets/bucket-credentials.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { Bucket } from '../storage/objects/bucket.ts';
import type { HasStore, Store } from '../store/store.ts';
import { bucketFailure } from './bucket-failure.ts';
import type { VolumeAddress } from './volume-fields.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';
import type { MemberVolume, VolumeRow } from './volume-table.ts';
import { volumesIn } from './volume-table.ts';

export type VolumePermission = keyof VolumePermissions;

/** A volume and where its objects are. */
export interface Volume {
  readonly row: VolumeRow;
  readonly address: VolumeAddress;
}

/** A volume the caller is a member of. To everybody else it does not exist. @throws ServiceError 9007, 9020 */
export async function volumeFor(
  store: Store,
  caller: Caller,
  demanded: { readonly id: string; readonly permission?: VolumePermission },
): Promise<MemberVolume> {
  const { id, permission } = demanded;
  const volume = await volumesIn(store).findFor(caller.username, id);
  if (volume === undefined) throw new ServiceError(9007, `You have no volume ${id}.`);
  if (permission !== undefined && !volume.permissions[permission]) {
    throw new ServiceError(9020, `This needs the permission ${permission} on the volume.`);
  }
  return volume;
}

/** The same, ready for use. @throws ServiceError 9007, 9020, 9069 */
export async function usableVolume(
  store: Store,
  caller: Caller,
  demanded: { readonly id: string; readonly permission: VolumePermission },
): Promise<Volume> {
  return ready(await volumeFor(store, caller, demanded));
}

/**
 * Looks at the volume once more, in the transaction that records an object which was found or put at its address. The
 * record is true only while the volume leads to the same place.
 *
 * @throws ServiceError 9007, 9020, 9069
 */
export async function unchangedVolume(
  tx: Store,
  caller: Caller,
  demanded: { readonly volume: Volume; readonly permission: VolumePermission },
): Promise<Volume> {
  const { volume, permission } = demanded;
  const current = await usableVolume(tx, caller, { id: volume.row.id, permission });
  if (current.row.service !== volume.row.service) {
    throw new ServiceError(9069, 'The service of the volume was changed meanwhile.');
  }
  return current;
}

/** A volume that a job works with, for any submitter. @throws ServiceError 9007, 9069 */
export async function activeVolume({ store }: HasStore, id: string): Promise<Volume> {
  const row = await volumesIn(store).find(id);
  if (row === undefined) throw new ServiceError(9007);
  return ready(row);
}

/** @throws ServiceError 9203, 9209 when nothing here serves the volume's address */
export async function bucketOf(
  { buckets, volumeSecrets }: HasVolumeSecrets & HasBuckets,
  { row, address }: Volume,
): Promise<Bucket> {
  try {
    const secret = await volumeSecrets.open(row);
    return await buckets.open(address, bucketCredentials(address.credentials, secret));
  } catch (error) {
    throw bucketFailure(error);
  }
}

export function addressOfVolume(row: Pick<VolumeRow, 'service'>): VolumeAddress {
  return JSON.parse(row.service);
}

function ready(row: VolumeRow): Volume {
  if (row.active === 0) throw new ServiceError(9069, 'The volume is not active.');
  return { row, address: addressOfVolume(row) };
}
