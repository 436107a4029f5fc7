import type { CreateFolderBody } from '../../contract/file.ts';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { destinationFolder } from './destination-folder.ts';
import { checkFolderName } from './names.ts';
import { newFile } from './new-file.ts';
import { type FileRow, filesIn } from './tables/file-table.ts';

/** @throws ServiceError 5012, 5024, 5029, 5031, 5026, 5022, 3010, 3002, 5001, 5030 */
export async function createFolder(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  body: CreateFolderBody,
): Promise<FileRow> {
  if (body.type?.toLowerCase() !== 'folder') throw new ServiceError(5012);
  const name = checkFolderName(body.name);
  const { project, parent } = body;
  const { file: folder, permissions } = await destinationFolder(store, caller, {
    project,
    parent,
    malformed: 3010,
  });
  demand(permissions, 'write', 5001);
  const created = newFile({
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    kind: 'folder',
    name,
    created_by: caller.username,
    created_on: storedTime(clock.now()),
  });
  await store.transaction(async (tx) => {
    if ((await filesIn(tx).find(folder.id)) === undefined) throw new ServiceError(5026);
    if ((await filesIn(tx).findChild(folder.id, name)) !== undefined) throw new ServiceError(5030);
    await filesIn(tx).insert(created);
  });
  return created;
}
