import type { ErrorCode } from '../../contract/error-codes.ts';
import type { ProjectPermissions } from '../../contract/project.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand, type ProjectPermission, permissionsWith, projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import type { FileRow } from './tables/file-table.ts';
import { filesIn } from './tables/file-table.ts';

export interface AccessibleFile {
  readonly file: FileRow;
  /** The caller's, in the file's project; of a public file at least everybody's. */
  readonly permissions: ProjectPermissions;
}

/** A file or folder the caller can see; what lies in other people's projects does not exist. @throws ServiceError `missing` */
export async function fileFor(
  store: Store,
  caller: Caller,
  fileId: string,
  missing: ErrorCode = 5002,
): Promise<AccessibleFile> {
  const file = await filesIn(store).find(fileId);
  if (file === undefined) throw new ServiceError(missing);
  const ofMember = await projectsIn(store).permissionsOf(caller.username, file.project_id);
  const permissions = permissionsWith(ofMember, { isPublic: file.is_public === 1 });
  if (permissions === undefined) throw new ServiceError(missing);
  return { file, permissions };
}

/** The same, with one permission demanded. @throws ServiceError 5002, or `refusal` */
export async function fileWith(
  store: Store,
  caller: Caller,
  demanded: { readonly id: string; readonly permission: ProjectPermission; readonly refusal: ErrorCode },
): Promise<FileRow> {
  const { file, permissions } = await fileFor(store, caller, demanded.id);
  demand(permissions, demanded.permission, demanded.refusal);
  return file;
}
