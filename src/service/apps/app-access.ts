import type { ProjectPermissions } from '../../contract/project.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { permissionsWith, projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import type { AppRevisionRow, AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

export interface AccessibleApp {
  readonly app: AppRow;
  /** The caller's, in the app's project; of a public app at least everybody's. */
  readonly permissions: ProjectPermissions;
}

/** An app of the caller's projects, or a public one; others do not exist. @throws ServiceError 6002 */
export async function appFor(store: Store, caller: Caller, id: string): Promise<AccessibleApp> {
  const app = await appsIn(store).find(id);
  if (app === undefined) throw new ServiceError(6002);
  const ofMember = await projectsIn(store).permissionsOf(caller.username, app.project_id);
  const permissions = permissionsWith(ofMember, { isPublic: app.is_public === 1 });
  if (permissions === undefined) throw new ServiceError(6002);
  return { app, permissions };
}

/** @param revision The newest when left out. @throws ServiceError 6002 */
export async function revisionOf(
  store: Store,
  app: AppRow,
  revision: number = app.latest_revision,
): Promise<AppRevisionRow> {
  const row = await appsIn(store).revision(app.id, revision);
  if (row === undefined) throw new ServiceError(6002, `The app has no revision ${revision}.`);
  return row;
}
