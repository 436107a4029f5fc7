import type { CreateVolumeBody } from '../../contract/volume.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { checkDescription } from '../http/description.ts';
import { ServiceError } from '../http/service-error.ts';
import { bucketCredentials } from '../storage/buckets/bucket-credentials.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import { isStoresAnswer, noStore } from '../storage/s3/s3-failure.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { bucketFailure } from './bucket-failure.ts';
import {
  type AccessMode,
  type CheckedService,
  checkAccessMode,
  checkService,
  checkVolumeName,
} from './volume-fields.ts';
import { volumeKey } from './volume-key.ts';
import { volumeMembersIn } from './volume-member-table.ts';
import { ALL_VOLUME_PERMISSIONS } from './volume-permissions.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';
import type { VolumeRow } from './volume-table.ts';
import { volumesIn } from './volume-table.ts';

/**
 * Connects a bucket. It is tried at once. A wrong address or a missing right is better told now.
 *
 * @throws ServiceError 9013, 9014, 9030 name, 9010 name taken, 90000, those of `checkAccessMode` and `checkService`, 9200
 * to 9209
 */
export async function createVolume(
  services: HasStore & HasVolumeSecrets & HasBuckets & HasClock,
  caller: Caller,
  body: CreateVolumeBody,
): Promise<VolumeRow> {
  const { store, clock, volumeSecrets } = services;
  const name = checkVolumeName(body.name);
  const accessMode = checkAccessMode(body.access_mode);
  const service = checkService(body.service);
  const now = storedTime(clock.now());
  const id = `${caller.username}/${name}`;
  const volume: VolumeRow = {
    id,
    owner: caller.username,
    name,
    description: checkDescription(body.description),
    access_mode: accessMode,
    service: JSON.stringify(service.address),
    secret: await volumeSecrets.seal(id, service.secret),
    active: 1,
    created_on: now,
    modified_on: now,
  };
  const taken = new ServiceError(9010, `You have a volume of the name ${name}.`);
  if ((await volumesIn(store).find(volume.id)) !== undefined) throw taken;
  await tryBucket(services, service, accessMode);
  await store.transaction(async (tx) => {
    if ((await volumesIn(tx).find(volume.id)) !== undefined) throw taken;
    await volumesIn(tx).insert(volume);
    await volumeMembersIn(tx).set(volume.id, caller.username, ALL_VOLUME_PERMISSIONS);
  });
  return volume;
}

/** Under this location the right to write is tried. */
const TRIED_LOCATION = 'svcfs-tries-to-write';

/** @throws ServiceError 9200 to 9209 */
export async function tryBucket(
  services: HasBuckets,
  { address, secret }: CheckedService,
  accessMode: AccessMode,
): Promise<void> {
  const { buckets } = services;
  const credentials = bucketCredentials(address.credentials, secret);
  try {
    await buckets.checkEndpoint(address);
  } catch (error) {
    throw bucketFailure(error);
  }
  try {
    await buckets.prepare(address, credentials);
    const bucket = await buckets.open(address, credentials);
    await bucket.list({ prefix: '', limit: 1 });
    if (accessMode === 'RW') await bucket.tryPut(volumeKey(address.prefix, TRIED_LOCATION));
  } catch (error) {
    throw bucketFailure(address.endpoint === '' || isStoresAnswer(error) ? error : noStore(error));
  }
}
