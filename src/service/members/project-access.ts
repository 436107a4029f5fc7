import type { ErrorCode } from '../../contract/error-codes.ts';
import type { ProjectPermissions } from '../../contract/project.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import { type MemberProject, projectsIn } from './project-table.ts';

/** A project the caller is a member of. To everybody else it does not exist. @throws ServiceError 3002 */
export async function projectFor(store: Store, caller: Caller, projectId: string): Promise<MemberProject> {
  const project = await projectsIn(store).findFor(caller.username, projectId);
  if (project === undefined) throw new ServiceError(3002, `You have no project ${projectId}.`);
  return project;
}

/**
 * The caller's permissions in a project that a request names.
 *
 * @param project.missing The call's code for a project that the caller does not have; 3002 unless given.
 * @throws ServiceError `malformed`, `missing`
 */
export async function permissionsIn(
  store: Store,
  caller: Caller,
  project: { readonly id: string; readonly malformed: ErrorCode; readonly missing?: ErrorCode | undefined },
): Promise<ProjectPermissions> {
  const { id, malformed, missing = 3002 } = project;
  if (!isOwnedId(id)) throw new ServiceError(malformed, 'A project id has the form owner/project.');
  const permissions = await projectsIn(store).permissionsOf(caller.username, id);
  if (permissions === undefined) throw new ServiceError(missing, `You have no project ${id}.`);
  return permissions;
}

/** Whether the text has the form of a project or volume id: `{owner}/{name}`. */
export function isOwnedId(id: string): boolean {
  return /^[^/\0]+\/[^/\0]+$/.test(id);
}
