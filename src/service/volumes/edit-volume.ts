import type { EditVolumeBody, VolumeServiceInput } from '../../contract/volume.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { checkDescription } from '../http/description.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import type { JobFailure } from '../jobs/job-table.ts';
import { jobsIn } from '../jobs/job-table.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { tryBucket } from './create-volume.ts';
import { addressOfVolume, volumeFor } from './volume-access.ts';
import { type AccessMode, checkAccessMode, checkService } from './volume-fields.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';
import type { VolumeRow } from './volume-table.ts';
import { volumesIn } from './volume-table.ts';

/**
 * Edits a volume; fields that are not given stay, also inside `service`. A new service is tried first, which takes its
 * time. When the volume got another service meanwhile, the edit is refused.
 *
 * @param edit.force Deactivating stops unfinished jobs, which otherwise forbid it.
 *
 * @throws ServiceError 9007, 9020, 9015, 90000, those of `checkService`, 9069, 9200 to 9209
 */
export async function editVolume(
  services: HasStore & HasVolumeSecrets & HasBuckets & HasJobSignals & HasClock,
  caller: Caller,
  edit: { readonly id: string; readonly body: EditVolumeBody; readonly force: boolean },
): Promise<VolumeRow> {
  const { store, clock, jobSignals } = services;
  const { active, description, access_mode, service } = edit.body;
  const asAdmin = { id: edit.id, permission: 'admin' } as const;
  const before = await volumeFor(store, caller, asAdmin);
  const accessMode = checkAccessMode(access_mode ?? before.access_mode);
  // One that becomes writable needs a right that it did not need before.
  const isTried = service !== undefined || (accessMode === 'RW' && before.access_mode === 'RO');
  const now = storedTime(clock.now());
  const changes: Partial<VolumeRow> = {
    ...(description === undefined ? {} : { description: checkDescription(description) }),
    ...(access_mode === undefined ? {} : { access_mode: accessMode }),
    ...(active === undefined ? {} : { active: active ? 1 : 0 }),
    ...(isTried ? await editedService(services, before, { service, accessMode }) : {}),
    modified_on: now,
  };
  const edited = await store.transaction(async (tx) => {
    const { permissions: _, ...row } = await volumeFor(tx, caller, asAdmin);
    if (isTried && (row.service !== before.service || row.secret !== before.secret)) {
      throw new ServiceError(9069, 'The service of the volume was changed meanwhile; try again.');
    }
    if (row.active === 1 && changes.active === 0) await stopJobs(tx, row.id, { force: edit.force, now });
    await volumesIn(tx).update(row.id, changes);
    return { ...row, ...changes };
  });
  if (changes.active === 0) jobSignals.tell('changed');
  return edited;
}

async function editedService(
  services: HasVolumeSecrets & HasBuckets,
  row: VolumeRow,
  given: { readonly service: VolumeServiceInput | undefined; readonly accessMode: AccessMode },
): Promise<Pick<VolumeRow, 'service' | 'secret'>> {
  const { volumeSecrets } = services;
  const before = { address: addressOfVolume(row), secret: await volumeSecrets.open(row) };
  const service = checkService(given.service, before);
  await tryBucket(services, service, given.accessMode);
  return {
    service: JSON.stringify(service.address),
    secret: await volumeSecrets.seal(row.id, service.secret),
  };
}

async function stopJobs(
  tx: Store,
  id: string,
  { force, now }: { readonly force: boolean; readonly now: string },
): Promise<void> {
  if (!force && (await jobsIn(tx).hasOpenForVolume(id))) {
    throw new ServiceError(9069, 'Imports or exports of the volume are not finished; force=true stops them.');
  }
  const { status, code, message } = new ServiceError(9069, 'The volume was deactivated.');
  const failure: JobFailure = { status, code, message };
  await jobsIn(tx).stopForVolume(id, { state: 'FAILED', error: JSON.stringify(failure), finished_on: now });
}

/** Forgets a volume; its objects stay where they are. @throws ServiceError 9007, 9020, 9069 active, or jobs or aliases remain */
export async function deleteVolume({ store }: HasStore, caller: Caller, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    const volume = await volumeFor(tx, caller, { id, permission: 'admin' });
    if (volume.active === 1) throw new ServiceError(9069, 'The volume is active; deactivate it first.');
    if (await jobsIn(tx).hasOpenForVolume(id)) {
      throw new ServiceError(9069, 'Imports or exports of the volume are not finished.');
    }
    if (await volumesIn(tx).hasAliases(id)) {
      throw new ServiceError(9069, 'Files of projects are aliases of objects on the volume.');
    }
    await volumesIn(tx).delete(id);
  });
}
