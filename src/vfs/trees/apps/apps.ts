/**
 * `apps/`: the apps of the projects that the user may see, by owner and project.
 *
 * `apps/public/` and `apps/.search/` are not listed, so that nothing walks into them unasked. Public apps are there by
 * owner and project, too.
 */
import type { Api } from '../../../api/api.ts';
import type { ProjectSummary } from '../../../api/model.ts';
import type { Catalog } from '../../directories/catalog.ts';
import { escapedName } from '../../model/escape.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import { projectLevels } from '../project-levels.ts';
import { type AppLists, appsOf } from './app-lists.ts';
import { Documents } from './documents.ts';
import { publicApps } from './public-apps.ts';
import { searches } from './searches.ts';

export interface AppsParts {
  readonly api: Pick<Api, 'records'>;
  readonly projects: Catalog<ProjectSummary>;
  readonly ttlMs: number;
}

const PUBLIC = 'public';
/** An owner of that name is not taken for the public apps. */
const OWNER_PUBLIC = escapedName(PUBLIC, 'entry');
const SEARCH = '.search';

export function apps({ api, projects, ttlMs }: AppsParts): SyntheticDirectory {
  const lists: AppLists = { api, documents: new Documents(api), ttlMs };
  const shared = {
    [PUBLIC]: publicApps(lists, { [SEARCH]: searches(lists, { visibility: 'public' }) }),
    [SEARCH]: searches(lists, {}),
  };
  const own = projectLevels({ catalog: projects, ttlMs, make: ({ id }) => appsOf(lists, { project: id }) });
  return {
    ...own,
    list: async (cursor, signal) => {
      const { names } = await own.list(cursor, signal);
      return { names: names.map((each) => (each.name === PUBLIC ? { ...each, name: OWNER_PUBLIC } : each)) };
    },
    lookup: (name, signal) => {
      if (Object.hasOwn(shared, name)) return shared[name as keyof typeof shared];
      return own.lookup(name === OWNER_PUBLIC ? PUBLIC : name, signal);
    },
  };
}
