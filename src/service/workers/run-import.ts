import { newFile } from '../actions/new-file.ts';
import { freeName } from '../actions/place-file.ts';
import { activeVolume, bucketOf } from '../actions/volume-access.ts';
import { storedTime } from '../api-time.ts';
import { randomId } from '../random-id.ts';
import { refuseAsService } from '../rules/bucket-failure.ts';
import { locationOf, volumeKey } from '../rules/volume-key.ts';
import { ServiceError } from '../service-error.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import type { ImportRequest, TransferResult } from './job-requests.ts';
import { type JobRun, recordEnd, recordStart } from './job-run.ts';
import { freeNumberedName } from './numbered-name.ts';

/**
 * Makes an alias in a project of an object on a volume.
 *
 * @throws ServiceError 9007, 9069, 9105 no such object, 9108 name taken, and what the bucket refuses
 */
export async function runImport(run: JobRun): Promise<void> {
  const { services, job } = run;
  const request: ImportRequest = JSON.parse(job.request);
  await recordStart(run);
  const volume = await activeVolume(services, request.volume);
  const key = volumeKey(volume.address.prefix, request.location);
  const bucket = await bucketOf(services, volume);
  const object = await bucket.head(key).catch(refuseAsService);
  if (object === undefined) throw new ServiceError(9105, `The volume has no object at ${request.location}.`);
  await services.store.transaction(async (tx) => {
    const now = storedTime(services.clock.now());
    const alias = newFile({
      ...(await placeOf(tx, request, now)),
      id: randomId(),
      size: object.sizeBytes,
      created_by: job.created_by,
      created_on: now,
      volume_id: request.volume,
      location: locationOf(volume.address.prefix, key),
      etag: object.etag,
    });
    await tx.files.insert(alias);
    const result: TransferResult = { ...alias, metadata: {}, tags: [] };
    await recordEnd(tx, run, { result });
  });
}

/** Where the alias goes; a name that is taken is made free, avoided or refused, as was asked. */
async function placeOf(
  tx: Store,
  { parentId, name, overwrite, autorename }: ImportRequest,
  now: string,
): Promise<Pick<FileRow, 'project_id' | 'parent_id' | 'name'>> {
  const parent = await tx.files.find(parentId);
  if (parent === undefined) throw new ServiceError(5026);
  const place = { project_id: parent.project_id, parent_id: parentId };
  if (autorename && !overwrite) return { ...place, name: await freeNumberedName(tx, parentId, name) };
  await freeName(tx, { parentId, name, overwrite, taken: 9108 }, { now });
  return { ...place, name };
}
