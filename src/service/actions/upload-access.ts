import type { UploadTarget } from '../blobs/blob-store.ts';
import type { Caller } from '../caller.ts';
import { ServiceError } from '../service-error.ts';
import type { Store } from '../store/store.ts';
import type { UploadRow } from '../store/uploads.ts';

/** An upload belongs to whoever began it, as long as they may write to the project. @throws ServiceError 8003, 8001 */
export async function uploadFor(store: Store, caller: Caller, uploadId: string): Promise<UploadRow> {
  const upload = await store.uploads.find(uploadId);
  if (upload === undefined || upload.created_by !== caller.username) throw new ServiceError(8003);
  const permissions = await store.projects.permissionsOf(caller.username, upload.project_id);
  if (permissions?.write !== true) throw new ServiceError(8001);
  return upload;
}

export function targetOf(upload: UploadRow): UploadTarget {
  return JSON.parse(upload.target);
}
