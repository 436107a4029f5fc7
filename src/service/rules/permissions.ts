import type { ErrorCode } from '../../contract/error-codes.ts';
import type { ProjectPermissions } from '../../contract/project.ts';
import { ServiceError } from '../service-error.ts';

export type ProjectPermission = keyof ProjectPermissions;

/** What the owner of a project may do. */
export const ALL_PERMISSIONS: ProjectPermissions = {
  read: true,
  write: true,
  copy: true,
  execute: true,
  admin: true,
};

/** What anybody may do with a public file or app. */
export const PUBLIC_PERMISSIONS: ProjectPermissions = {
  read: true,
  write: false,
  copy: true,
  execute: false,
  admin: false,
};

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
