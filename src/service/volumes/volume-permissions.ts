import type { VolumePermissions, VolumePermissionsEdit } from '../../contract/volume.ts';

/** The permissions of the owner of a volume. */
export const ALL_VOLUME_PERMISSIONS: VolumePermissions = { read: true, copy: true, write: true, admin: true };

const NONE: VolumePermissions = { read: false, copy: false, write: false, admin: false };

/** Permissions after an edit: what is not given stays. `admin` implies the rest. Words count as booleans. */
export function editedPermissions(
  before: VolumePermissions | undefined,
  edit: VolumePermissionsEdit,
): VolumePermissions {
  const given = Object.entries(edit).map(([name, value]) => [name, value === true || value === 'true']);
  const edited: VolumePermissions = { ...(before ?? NONE), ...Object.fromEntries(given) };
  return edited.admin ? ALL_VOLUME_PERMISSIONS : edited;
}
