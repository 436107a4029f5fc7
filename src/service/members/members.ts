/** The front door: the parts of members that other subjects may use. */
export { ALL_PERMISSIONS, demand, type ProjectPermission, permissionsWith } from './permissions.ts';
export { isOwnedId, permissionsIn, projectFor } from './project-access.ts';
export { type MemberProject, type ProjectRow, projectsIn } from './project-table.ts';
