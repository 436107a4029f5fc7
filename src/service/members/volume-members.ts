import type { AddVolumeMemberBody, VolumePermissions, VolumePermissionsEdit } from '../../contract/volume.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore, Store } from '../store/store.ts';
import { usersIn } from '../users/users.ts';
import { editedPermissions, type VolumeMemberRow, volumeFor, volumeMembersIn } from '../volumes/volumes.ts';
import { checkMemberType } from './member-type.ts';

/** Adds a member, or edits the permissions of one who is there. @throws ServiceError 9007, 9020, 3002, 3005, 2002 */
export async function addVolumeMember(
  { store }: HasStore,
  caller: Caller,
  { volumeId, body }: { readonly volumeId: string; readonly body: AddVolumeMemberBody },
): Promise<VolumeMemberRow> {
  const { type, username, permissions: given } = body;
  return store.transaction(async (tx) => {
    await volumeFor(tx, caller, { id: volumeId, permission: 'admin' });
    checkMemberType(type);
    if (!username) throw new ServiceError(3005);
    if (given === undefined) throw new ServiceError(3011);
    const user = await usersIn(tx).find(username);
    if (user === undefined) throw new ServiceError(2002);
    const present = await volumeMembersIn(tx).find(volumeId, user.username);
    const permissions = editedPermissions(present?.permissions, given);
    await setMember(tx, { volumeId, username: user.username, permissions });
    return { username: user.username, email: user.email, permissions };
  });
}

/** @param change `replace` takes away what is not given. @throws ServiceError 9007, 9020, 3002 */
export async function editVolumeMember(
  { store }: HasStore,
  caller: Caller,
  edit: {
    readonly volumeId: string;
    readonly username: string;
    readonly permissions: VolumePermissionsEdit;
    readonly change: 'merge' | 'replace';
  },
): Promise<VolumePermissions> {
  const { volumeId, username, change } = edit;
  return store.transaction(async (tx) => {
    await volumeFor(tx, caller, { id: volumeId, permission: 'admin' });
    const present = await findMember(tx, volumeId, username);
    const permissions = editedPermissions(
      change === 'merge' ? present.permissions : undefined,
      edit.permissions,
    );
    await setMember(tx, { volumeId, username, permissions });
    return permissions;
  });
}

/** Members may leave; others are removed by an administrator. The owner stays. @throws ServiceError 9007, 9020, 3002 */
export async function removeVolumeMember(
  { store }: HasStore,
  caller: Caller,
  { volumeId, username }: { readonly volumeId: string; readonly username: string },
): Promise<void> {
  const leaves = username === caller.username;
  await store.transaction(async (tx) => {
    const volume = await volumeFor(tx, caller, { id: volumeId, ...(leaves ? {} : { permission: 'admin' }) });
    await findMember(tx, volumeId, username);
    if (username === volume.owner) throw new ServiceError(9020, 'The owner cannot be removed.');
    await volumeMembersIn(tx).remove(volumeId, username);
  });
}

/** @throws ServiceError 3002 */
export async function findMember(store: Store, volumeId: string, username: string): Promise<VolumeMemberRow> {
  const member = await volumeMembersIn(store).find(volumeId, username);
  if (member === undefined) throw new ServiceError(3002, 'No such member.');
  return member;
}

async function setMember(
  store: Store,
  member: { readonly volumeId: string; readonly username: string; readonly permissions: VolumePermissions },
): Promise<void> {
  const { volumeId, username, permissions } = member;
  if (volumeId.startsWith(`${username}/`) && !permissions.admin) {
    throw new ServiceError(9020, 'The owner keeps every permission.');
  }
  await volumeMembersIn(store).set(volumeId, username, permissions);
}
