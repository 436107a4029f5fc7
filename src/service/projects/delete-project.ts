import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import { filesIn } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { demand, projectFor, projectsIn } from '../members/members.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { forgetUpload, removeSent, uploadsIn } from '../uploads/uploads.ts';

/** Deletes a project with all it holds. @throws ServiceError 3002, 3001 */
export async function deleteProject(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  caller: Caller,
  id: string,
): Promise<void> {
  const { store, clock } = services;
  const project = await projectFor(store, caller, id);
  demand(project.permissions, 'admin', 3001);
  const now = storedTime(clock.now());
  const uploads = await store.transaction(async (tx) => {
    const keys = await filesIn(tx).blobsOfProject(id);
    const unfinished = await uploadsIn(tx).ofProject(id);
    for (const upload of unfinished) await forgetUpload(tx, upload, now);
    await projectsIn(tx).delete(id);
    for (const key of keys) await filesIn(tx).discardBlob(key, now);
    return unfinished;
  });
  for (const upload of uploads) await removeSent(services, upload);
}
