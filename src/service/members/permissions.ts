import type { ErrorCode } from '../../contract/error-codes.ts';
import type { ProjectPermissions } from '../../contract/project.ts';
import { ServiceError } from '../http/service-error.ts';

export type ProjectPermission = keyof ProjectPermissions;

/** The permissions of the owner of a project. */
export const ALL_PERMISSIONS: ProjectPermissions = {
  read: true,
  write: true,
  copy: true,
  execute: true,
  admin: true,
};

/** The permissions of everybody on a public file or app. */
const PUBLIC_PERMISSIONS: ProjectPermissions = {
  read: true,
  write: false,
  copy: true,
  execute: false,
  admin: false,
};

/**
 * The permissions of a user on a file or app: those of a member of its project, and those of everybody if it is public.
 * Undefined when it does not exist for them.
 */
export function permissionsWith(
  ofMember: ProjectPermissions | undefined,
  { isPublic }: { readonly isPublic: boolean },
): ProjectPermissions | undefined {
  if (!isPublic) return ofMember;
  return ofMember === undefined ? PUBLIC_PERMISSIONS : { ...ofMember, read: true, copy: true };
}

/** @throws ServiceError with the code, which depends on the call, when the permission is missing. */
export function demand(
  permissions: ProjectPermissions,
  permission: ProjectPermission,
  refusal: ErrorCode,
): void {
  if (!permissions[permission]) {
    throw new ServiceError(refusal, `This needs the permission ${permission} in the project.`);
  }
}

/** `admin` implies the rest; a member can always read. */
export function completePermissions(given: Partial<ProjectPermissions>): ProjectPermissions {
  if (given.admin === true) return ALL_PERMISSIONS;
  const { write = false, copy = false, execute = false } = given;
  return { read: true, write, copy, execute, admin: false };
}
