import type { EditVolumeBody, VolumeServiceInput } from '../../contract/volume.ts';
import { storedTime } from '../api-time.ts';
import type { Caller } from '../caller.ts';
import { checkDescription } from '../rules/description.ts';
import { type CheckedService, checkAccessMode, checkService } from '../rules/volume-fields.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { VolumeRow } from '../store/volumes.ts';
import type { JobFailure } from '../workers/job-requests.ts';
import { tryBucket } from './create-volume.ts';
import { addressOfVolume, volumeFor } from './volume-access.ts';

/**
 * Edits a volume; what is not given stays, also inside `service`.
 *
 * @param edit.force Deactivating stops the volume's unfinished jobs, which otherwise forbid it.
 * @throws ServiceError 9007, 9020, 9015, 90000, those of `checkService`, 9069, 9200 to 9209
 */
export async function editVolume(
  services: Services,
  caller: Caller,
  edit: { readonly id: string; readonly body: EditVolumeBody; readonly force: boolean },
): Promise<VolumeRow> {
  const { store, clock, volumeSecrets } = services;
  const { body } = edit;
  const volume = await volumeFor(store, caller, { id: edit.id, permission: 'admin' });
  const { permissions: _, ...row } = volume;
  const service = body.service === undefined ? undefined : await editedService(services, row, body.service);
  const changed: VolumeRow = {
    ...row,
    description: checkDescription(body.description ?? row.description),
    access_mode: body.access_mode === undefined ? row.access_mode : checkAccessMode(body.access_mode),
    service: service === undefined ? row.service : JSON.stringify(service.address),
    secret: service === undefined ? row.secret : await volumeSecrets.seal(row.id, service.secret),
    active: (body.active ?? row.active === 1) ? 1 : 0,
    modified_on: storedTime(clock.now()),
  };
  if (row.active === 1 && changed.active === 0) await stopJobs(services, row.id, edit.force);
  await store.volumes.update(row.id, changed);
  return changed;
}

async function editedService(
  services: Services,
  row: VolumeRow,
  given: VolumeServiceInput,
): Promise<CheckedService> {
  const before = { address: addressOfVolume(row), secret: await services.volumeSecrets.open(row) };
  const service = checkService(given, before);
  await tryBucket(services, service);
  return service;
}

async function stopJobs({ store, clock, jobSignals }: Services, id: string, force: boolean): Promise<void> {
  if (!force && (await store.jobs.hasOpenForVolume(id))) {
    throw new ServiceError(9069, 'Imports or exports of the volume are not finished; force=true stops them.');
  }
  const { status, code, message } = new ServiceError(9069, 'The volume was deactivated.');
  const failure: JobFailure = { status, code, message };
  await store.jobs.stopForVolume(id, {
    state: 'FAILED',
    error: JSON.stringify(failure),
    finished_on: storedTime(clock.now()),
  });
  jobSignals.tell('changed');
}

/** Forgets a volume; its objects stay where they are. @throws ServiceError 9007, 9020, 9069 active, or aliases remain */
export async function deleteVolume({ store }: Services, caller: Caller, id: string): Promise<void> {
  const volume = await volumeFor(store, caller, { id, permission: 'admin' });
  if (volume.active === 1) throw new ServiceError(9069, 'The volume is active; deactivate it first.');
  await store.transaction(async (tx) => {
    if (await tx.volumes.hasAliases(id)) {
      throw new ServiceError(9069, 'Files of projects are aliases of objects on the volume.');
    }
    await tx.volumes.delete(id);
  });
}
