import type { AppListQuery } from '../../contract/app.ts';
import type { Caller } from '../http/caller.ts';
import { checkTerms } from '../http/search-terms.ts';
import { ServiceError } from '../http/service-error.ts';
import { permissionsIn } from '../members/members.ts';
import type { RowPage } from '../store/page-range.ts';
import type { HasStore } from '../store/store.ts';
import type { AppListing, AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

/** @throws ServiceError 6012, 6004, 3002, 90000 */
export async function listApps(
  { store }: HasStore,
  caller: Caller,
  query: AppListQuery,
): Promise<RowPage<AppRow>> {
  const { project, project_owner: projectOwner, id: ids, offset, limit } = query;
  const visible = visibilityOf(query.visibility, caller);
  if (project !== undefined && visible !== 'public') {
    await permissionsIn(store, caller, { id: project, malformed: 6004 });
  }
  const words = (query.q ?? []).flatMap((text) => text.toLowerCase().split(/\s+/)).filter((term) => term);
  const terms = checkTerms(words, 'words');
  return appsIn(store).list({ visible, projectId: project, projectOwner, ids, terms }, { offset, limit });
}

function visibilityOf(word: string | undefined, { username }: Caller): AppListing['visible'] {
  switch (word?.toLowerCase()) {
    case undefined:
    case 'private':
      return { member: username };
    case 'public':
      return 'public';
    default:
      throw new ServiceError(6012);
  }
}
