import type {
  AddProjectMemberBody,
  ProjectPermissions,
  ProjectPermissionsEdit,
} from '../../contract/project.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore, Store } from '../store/store.ts';
import { usersIn } from '../users/users.ts';
import { checkMemberType } from './member-type.ts';
import { completePermissions, demand } from './permissions.ts';
import { projectFor } from './project-access.ts';
import type { ProjectMemberRow } from './project-table.ts';
import { projectsIn } from './project-table.ts';

/** Adds a member, or gives one who is there other permissions. @throws ServiceError 3002, 3001, 3005, 3011 */
export async function addMember(
  { store }: HasStore,
  caller: Caller,
  addition: { readonly projectId: string; readonly body: AddProjectMemberBody },
): Promise<ProjectMemberRow> {
  const { projectId, body } = addition;
  return store.transaction(async (tx) => {
    await administer(tx, caller, projectId);
    checkMemberType(body.type);
    if (!body.username && !body.email) throw new ServiceError(3005);
    const user = body.username
      ? await usersIn(tx).find(body.username)
      : await usersIn(tx).findByEmail(body.email ?? '');
    if (user === undefined) throw new ServiceError(3002, 'No such user.');
    const present = await projectsIn(tx).permissionsOf(user.username, projectId);
    const permissions = completePermissions({ ...present, ...booleans(body.permissions ?? {}) });
    await setPermissions(tx, { projectId, username: user.username, permissions });
    return { username: user.username, email: user.email, permissions };
  });
}

/** @param change `replace` takes away what is not given. @throws ServiceError 3002, 3001 */
export async function editMember(
  { store }: HasStore,
  caller: Caller,
  edit: {
    readonly projectId: string;
    readonly username: string;
    readonly permissions: ProjectPermissionsEdit;
    readonly change: 'merge' | 'replace';
  },
): Promise<ProjectPermissions> {
  const { projectId, username } = edit;
  const given = booleans(edit.permissions);
  return store.transaction(async (tx) => {
    await administer(tx, caller, projectId);
    const present = await projectsIn(tx).permissionsOf(username, projectId);
    if (present === undefined) throw new ServiceError(3002, 'No such member.');
    const permissions = completePermissions(edit.change === 'merge' ? { ...present, ...given } : given);
    await setPermissions(tx, { projectId, username, permissions });
    return permissions;
  });
}

/** Members may leave; others are removed by an administrator. The owner stays. @throws ServiceError 3002, 3001 */
export async function removeMember(
  { store }: HasStore,
  caller: Caller,
  removal: { readonly projectId: string; readonly username: string },
): Promise<void> {
  const { projectId, username } = removal;
  await store.transaction(async (tx) => {
    const project = await projectFor(tx, caller, projectId);
    if (username !== caller.username) demand(project.permissions, 'admin', 3001);
    if (username === project.owner) throw new ServiceError(3001, 'The owner cannot be removed.');
    if ((await projectsIn(tx).permissionsOf(username, projectId)) === undefined) {
      throw new ServiceError(3002, 'No such member.');
    }
    await projectsIn(tx).removeMember(projectId, username);
  });
}

async function administer(store: Store, caller: Caller, projectId: string): Promise<void> {
  const project = await projectFor(store, caller, projectId);
  demand(project.permissions, 'admin', 3001);
}

async function setPermissions(
  store: Store,
  member: { projectId: string; username: string; permissions: ProjectPermissions },
): Promise<void> {
  const { projectId, username, permissions } = member;
  if (projectId.startsWith(`${username}/`) && !permissions.admin) {
    throw new ServiceError(3001, 'The owner keeps every permission.');
  }
  await projectsIn(store).setMember(projectId, username, permissions);
}

function booleans(edit: ProjectPermissionsEdit): Partial<ProjectPermissions> {
  return Object.fromEntries(
    Object.entries(edit).map(([name, value]) => [name, value === true || value === 'true']),
  );
}
