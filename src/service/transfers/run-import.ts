import { randomId } from '../../lib/random-id.ts';
import { type FileRow, filesIn, folderFor, freeName, freeNumberedName, newFile } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import { type JobRun, submitterOf, underLease } from '../jobs/job-run.ts';
import { demand } from '../members/members.ts';
import type { Bucket, ObjectInfo } from '../storage/objects/bucket.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import {
  bucketOf,
  locationOf,
  refuseAsService,
  unchangedVolume,
  type Volume,
  volumeKey,
  volumeKeyPrefix,
} from '../volumes/volumes.ts';
import { beginTransfer, type TransferServices } from './begin-transfer.ts';
import { insertAliasTree, objectsBelow } from './import-folder.ts';
import { recordTransferEnd } from './record-transfer-end.ts';
import type { ImportRequest } from './transfer-requests.ts';

/**
 * Makes an alias in a project of an object on a volume, or of each object in a folder there. The user must still have the
 * permission when the aliases are made. The volume must not have changed.
 *
 * @throws ServiceError 9007, 9020, 9069, 9105 no such object, 5026, 9003, 9108 name taken, and refusals of the bucket
 */
export async function runImport(run: JobRun<TransferServices>): Promise<void> {
  const { services, job } = run;
  const { request, volume } = await beginTransfer<ImportRequest>(run, 'copy');
  const bucket = await bucketOf(services, volume);
  const insert = await (request.folder ? folderImport : objectImport)(run, { request, volume, bucket });
  await underLease(run, async (tx) => {
    await unchangedVolume(tx, submitterOf(job), { volume, permission: 'copy' });
    const { file: parent, permissions } = await folderFor(tx, submitterOf(job), request.parentId);
    demand(permissions, 'write', 9003);
    const made = await insert(tx, parent);
    await recordTransferEnd(tx, run, { result: { ...made, metadata: {}, tags: [] } });
  });
}

interface Import {
  readonly request: ImportRequest;
  readonly volume: Volume;
  readonly bucket: Bucket;
}

/** The work in the database, once the store has been asked. */
type Insert = (tx: Store, parent: FileRow) => Promise<FileRow>;

async function objectImport(
  run: JobRun<TransferServices>,
  { request, volume, bucket }: Import,
): Promise<Insert> {
  const key = volumeKey(volume.address.prefix, request.location);
  const object = await bucket.head(key).catch(refuseAsService);
  if (object === undefined) throw new ServiceError(9105, `The volume has no object at ${request.location}.`);
  return async (tx, parent) => {
    const now = storedTime(run.services.clock.now());
    const alias = newFile({
      id: randomId(),
      project_id: parent.project_id,
      parent_id: parent.id,
      name: await nameFor(tx, request, now),
      created_by: run.job.created_by,
      created_on: now,
      ...aliasOf(volume, object),
    });
    await filesIn(tx).insert(alias);
    return alias;
  };
}

async function folderImport(
  run: JobRun<TransferServices>,
  { request, volume, bucket }: Import,
): Promise<Insert> {
  const prefix = volumeKeyPrefix(volume.address.prefix, request.location);
  const objects = await objectsBelow(bucket, prefix, run.signal).catch(refuseAsService);
  if (objects.length === 0)
    throw new ServiceError(9105, `The volume has no objects below ${request.location}.`);
  const aliases = objects.map((object) => ({
    path: object.key.slice(prefix.length),
    fields: aliasOf(volume, object),
  }));
  return (tx, parent) =>
    insertAliasTree(tx, {
      parent,
      name: request.name,
      overwrite: request.overwrite,
      aliases,
      createdBy: run.job.created_by,
      now: storedTime(run.services.clock.now()),
    });
}

/** The fields by which a file is an alias of an object. */
function aliasOf({ row, address }: Volume, object: ObjectInfo): Partial<FileRow> {
  return {
    size: object.sizeBytes,
    volume_id: row.id,
    location: locationOf(address.prefix, object.key),
    etag: object.etag,
  };
}

/** A name that is taken is made free, avoided or refused, as was asked. */
async function nameFor(
  tx: Store,
  { parentId, name, overwrite, autorename }: ImportRequest,
  now: string,
): Promise<string> {
  if (autorename && !overwrite) return freeNumberedName(tx, parentId, name);
  await freeName(tx, { parentId, name, overwrite, taken: 9108 }, { now });
  return name;
}
