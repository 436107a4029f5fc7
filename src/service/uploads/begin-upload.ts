import { OBJECT_SIZE_MAX } from '../../contract/limits.ts';
import type { InitUploadBody } from '../../contract/upload.ts';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { HasLogger } from '../../observe/logger.ts';
import {
  type AccessibleFile,
  checkFileName,
  destinationFolder,
  holderOfName,
  type NamedDestination,
} from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand, projectsIn } from '../members/members.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import { mayHaveChanged } from '../store/database-failure.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { removeSent } from './forget-upload.ts';
import { choosePartSize } from './part-size.ts';
import type { UploadRow } from './upload-table.ts';
import { uploadsIn } from './upload-table.ts';

/** @throws ServiceError 8013, 8010, 3002, 5026, 5022, 5029, 5031, 8001, 8005, 90000 */
export async function beginUpload(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  caller: Caller,
  asked: { readonly body: InitUploadBody; readonly overwrite: boolean },
): Promise<UploadRow> {
  const { store, blobs, clock } = services;
  const { body, overwrite } = asked;
  const { file: folder } = await uploadFolder(services, caller, { ...body, overwrite });
  if (body.md5 && !/^[0-9a-f]{32}$/i.test(body.md5)) {
    throw new ServiceError(90000, 'The md5 must be 32 hexadecimal digits.');
  }
  if ((body.size ?? 0) > OBJECT_SIZE_MAX) {
    throw new ServiceError(90000, `A file has at most ${OBJECT_SIZE_MAX} bytes.`);
  }
  const target = await blobs.beginUpload();
  const upload: UploadRow = {
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    name: body.name ?? '',
    size: body.size ?? null,
    part_size: choosePartSize(body.part_size, body.size),
    md5: body.md5 ?? null,
    overwrite: overwrite ? 1 : 0,
    created_by: caller.username,
    initiated: storedTime(clock.now()),
    target: JSON.stringify(target),
  };
  try {
    await noteUpload(store, upload);
  } catch (error) {
    // When the connection broke or the disk failed, nobody knows whether the upload is there.
    if (!mayHaveChanged(error)) await removeSent(services, upload);
    throw error;
  }
  return upload;
}

/** A project that is deleted at the same time takes the upload along, or is gone before. @throws ServiceError 3002 */
async function noteUpload(store: Store, upload: UploadRow): Promise<void> {
  await store.transaction(async (tx) => {
    if ((await projectsIn(tx).find(upload.project_id)) === undefined) throw new ServiceError(3002);
    await uploadsIn(tx).insert(upload);
  });
}

/** The folder an upload goes to, with everything checked that can be before the bytes come. */
export async function uploadFolder(
  { store }: HasStore,
  caller: Caller,
  upload: NamedDestination & { readonly name?: string | undefined; readonly overwrite: boolean },
): Promise<AccessibleFile> {
  const { project, parent, overwrite } = upload;
  const name = checkFileName(upload.name, 8013);
  const folder = await destinationFolder(store, caller, { project, parent, malformed: 8010 });
  demand(folder.permissions, 'write', 8001);
  await holderOfName(store, { parentId: folder.file.id, name, overwrite, taken: 8005 });
  return folder;
}
