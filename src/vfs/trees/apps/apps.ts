/**
 * `apps/`: the apps of the projects that the user may see, by owner and project.
 *
 * `apps/public/` and `apps/.search/` are not listed, so that nothing walks into them unasked. Public apps are there by
 * owner and project, too.
 */
import type { Api } from '../../../api/api.ts';
import type { ProjectSummary } from '../../../api/model.ts';
import type { Catalog } from '../../directories/catalog.ts';
import { escapedName, shownName } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticName } from '../../model/synthetic.ts';
import { findNamed } from '../record-pages.ts';
import { type AppLists, appsOf } from './app-lists.ts';
import { Documents } from './documents.ts';
import { publicApps } from './public-apps.ts';
import { searches } from './searches.ts';

export interface AppsParts {
  readonly api: Pick<Api, 'records'>;
  readonly projects: Pick<Catalog<ProjectSummary>, 'all' | 'recent' | 'find' | 'mayHaveOwner'>;
  readonly ttlMs: number;
}

const PUBLIC = 'public';
const SEARCH = '.search';

export function apps({ api, projects, ttlMs }: AppsParts): SyntheticDirectory {
  const lists: AppLists = { api, documents: new Documents(api), ttlMs };
  const shared = {
    [PUBLIC]: publicApps(lists, { [SEARCH]: searches(lists, { visibility: 'public' }) }),
    [SEARCH]: searches(lists, {}),
  };
  const entry = (owner: string): SyntheticDirectory => appsOfOwner(owner, { lists, projects });
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    list: async (_, signal) => {
      const { items } = await projects.all(signal);
      return { names: namesOf(new Set(items.map(({ owner }) => owner)), nameOfOwner, entry) };
    },
    lookup: (name, signal) => {
      if (Object.hasOwn(shared, name)) return shared[name as keyof typeof shared];
      const find = async (owner: string): Promise<SyntheticEntry | undefined> => {
        if (!projects.mayHaveOwner(owner)) return undefined;
        const has = ({ items }: { readonly items: readonly ProjectSummary[] }): boolean =>
          items.some((each) => each.owner === owner);
        return has(await projects.all(signal)) || has(await projects.recent(signal))
          ? entry(owner)
          : undefined;
      };
      return name === escapedName(PUBLIC, 'entry') ? find(PUBLIC) : findNamed(name, directory, find, signal);
    },
  };
  return directory;
}

/** An owner of that name is not taken for the public apps. */
function nameOfOwner(owner: string): string {
  return owner === PUBLIC ? escapedName(owner, 'entry') : shownName(owner, 'entry');
}

function appsOfOwner(
  owner: string,
  { lists, projects }: { readonly lists: AppLists; readonly projects: AppsParts['projects'] },
): SyntheticDirectory {
  const entry = (project: string): SyntheticDirectory => appsOf(lists, { project: `${owner}/${project}` });
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: lists.ttlMs,
    list: async (_, signal) => {
      const { items } = await projects.all(signal);
      const names = items.filter((each) => each.owner === owner).map(({ shortName }) => shortName);
      return { names: namesOf(names, (name) => shownName(name, 'entry'), entry) };
    },
    lookup: (shown, signal) =>
      findNamed(
        shown,
        directory,
        async (name) => {
          const id = `${owner}/${name}`;
          const isKnown = (await projects.all(signal)).items.some((each) => each.id === id);
          return isKnown || (await projects.find(id, signal)) ? entry(name) : undefined;
        },
        signal,
      ),
  };
  return directory;
}

function namesOf(
  names: Iterable<string>,
  shown: (name: string) => string,
  entry: (name: string) => SyntheticDirectory,
): readonly SyntheticName[] {
  return [...names].map((name) => ({ name: shown(name), kind: 'directory', entry: entry(name) }));
}
