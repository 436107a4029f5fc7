import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { fileWith } from './file-access.ts';
import { filesIn } from './tables/file-table.ts';

/** Deletes a file or an empty folder, for ever. @throws ServiceError 5002, 5001, 5021 */
export async function deleteFile(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  id: string,
): Promise<void> {
  const file = await fileWith(store, caller, { id, permission: 'write', refusal: 5001 });
  if (file.parent_id === null)
    throw new ServiceError(5001, 'The root folder of a project cannot be deleted.');
  await store.transaction(async (tx) => {
    if (file.kind === 'folder' && (await filesIn(tx).hasChildren(file.id))) throw new ServiceError(5021);
    await filesIn(tx).delete(file, storedTime(clock.now()));
  });
}
