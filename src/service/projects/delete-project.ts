import type { Caller } from '../http/caller.ts';
import type { Services } from '../services.ts';
import { storedTime } from '../store/stored-time.ts';
import { forgetUpload, removeSent } from '../uploads/forget-upload.ts';
import { demand } from './permissions.ts';
import { projectFor } from './project-access.ts';

/** Deletes a project with all it holds. @throws ServiceError 3002, 3001 */
export async function deleteProject(services: Services, caller: Caller, id: string): Promise<void> {
  const { store, clock } = services;
  const project = await projectFor(store, caller, id);
  demand(project.permissions, 'admin', 3001);
  const now = storedTime(clock.now());
  const uploads = await store.transaction(async (tx) => {
    const keys = await tx.files.blobsOfProject(id);
    const unfinished = await tx.uploads.ofProject(id);
    for (const upload of unfinished) await forgetUpload(tx, upload, now);
    await tx.projects.delete(id);
    for (const key of keys) await tx.files.discardBlob(key, now);
    return unfinished;
  });
  for (const upload of uploads) await removeSent(services, upload);
}
