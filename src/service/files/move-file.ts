import type { MoveFileBody } from '../../contract/file.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { folderFor } from './destination-folder.ts';
import { fileWith } from './file-access.ts';
import { checkFileName } from './names.ts';
import { freeName } from './place-file.ts';
import type { FileRow } from './tables/file-table.ts';
import { filesIn } from './tables/file-table.ts';

/**
 * Moves a file to another folder of its project; id, metadata and tags stay. Folders move by an asynchronous job only.
 *
 * @throws ServiceError 5002, 5032, 5026, 5022, 5015 other project, 5024, 5003
 */
export async function moveFile(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  move: { readonly id: string; readonly to: MoveFileBody; readonly overwrite: boolean },
): Promise<FileRow> {
  const file = await fileWith(store, caller, { id: move.id, permission: 'write', refusal: 5032 });
  if (file.kind === 'folder') throw new ServiceError(5032, 'A folder is moved by POST /v2/async/files/move.');
  const parentId = move.to.parent || file.parent_id || '';
  const { file: folder } = await folderFor(store, caller, parentId);
  const name = move.to.name ? checkFileName(move.to.name, 5024) : file.name;
  return store.transaction(async (tx) => {
    const present = await filesIn(tx).find(file.id);
    if (present === undefined) throw new ServiceError(5002);
    if (folder.project_id !== present.project_id) throw new ServiceError(5015);
    const place = { parentId, name, overwrite: move.overwrite, taken: 5003 as const };
    await freeName(tx, place, { now: storedTime(clock.now()), own: file.id });
    await filesIn(tx).update(file.id, { parent_id: parentId, name });
    return { ...present, parent_id: parentId, name };
  });
}
