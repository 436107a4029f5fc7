import type { ErrorCode } from '../../contract/error-codes.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { permissionsIn, projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import { type AccessibleFile, fileFor } from './file-access.ts';
import { filesIn } from './tables/file-table.ts';

export interface NamedDestination {
  readonly project?: string | null | undefined;
  readonly parent?: string | null | undefined;
}

/**
 * The folder a request names: by its id, or by the project whose root folder it is. Empty and null mean "not given".
 *
 * @param destination.malformed The call's code for a project id of the wrong form.
 * @param destination.missing The call's code for a project that the caller does not have; 3002 unless given.
 * @throws ServiceError 5029 neither, 5031 both, `malformed`, `missing`, 5026 no folder, 5022 not a folder
 */
export async function destinationFolder(
  store: Store,
  caller: Caller,
  destination: NamedDestination & { readonly malformed: ErrorCode; readonly missing?: ErrorCode | undefined },
): Promise<AccessibleFile> {
  const { project, parent, malformed, missing = 3002 } = destination;
  if (project && parent) throw new ServiceError(5031);
  if (parent) return folderFor(store, caller, parent);
  if (!project) throw new ServiceError(5029);
  const permissions = await permissionsIn(store, caller, { id: project, malformed, missing });
  const row = await projectsIn(store).find(project);
  const file = row === undefined ? undefined : await filesIn(store).find(row.root_folder);
  if (file === undefined) throw new ServiceError(missing);
  return { file, permissions };
}

/** @throws ServiceError 5026, 5022 */
export async function folderFor(store: Store, caller: Caller, folderId: string): Promise<AccessibleFile> {
  const folder = await fileFor(store, caller, folderId, 5026);
  if (folder.file.kind !== 'folder') throw new ServiceError(5022);
  return folder;
}
