import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Services } from '../services.ts';
import { storedTime } from '../store/stored-time.ts';
import { fileWith } from './file-access.ts';

/** Deletes a file or an empty folder, for ever. @throws ServiceError 5002, 5001, 5021 */
export async function deleteFile({ store, clock }: Services, caller: Caller, id: string): Promise<void> {
  const file = await fileWith(store, caller, { id, permission: 'write', refusal: 5001 });
  if (file.parent_id === null)
    throw new ServiceError(5001, 'The root folder of a project cannot be deleted.');
  await store.transaction(async (tx) => {
    if (file.kind === 'folder' && (await tx.files.hasChildren(file.id))) throw new ServiceError(5021);
    await tx.files.delete(file, storedTime(clock.now()));
  });
}
