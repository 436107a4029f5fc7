import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { projectsIn } from '../members/members.ts';
import type { UploadTarget } from '../storage/blobs/blob-store.ts';
import type { Store } from '../store/store.ts';
import type { UploadRow } from './upload-table.ts';
import { uploadsIn } from './upload-table.ts';

/**
 * An upload belongs to the user who began it, as long as they may write to the project. @throws ServiceError 8003, 8001
 */
export async function uploadFor(store: Store, caller: Caller, uploadId: string): Promise<UploadRow> {
  const upload = await uploadsIn(store).find(uploadId);
  if (upload === undefined || upload.created_by !== caller.username) throw new ServiceError(8003);
  const permissions = await projectsIn(store).permissionsOf(caller.username, upload.project_id);
  if (permissions?.write !== true) throw new ServiceError(8001);
  return upload;
}

export function targetOf(upload: UploadRow): UploadTarget {
  return JSON.parse(upload.target);
}
