import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry } from '../../model/synthetic.ts';
import { findNamed, pageOf } from '../record-pages.ts';
import { type AppId, type AppLists, type AppQuery, appPages, appsOf, hasApps } from './app-lists.ts';

/** `apps/public/<owner>/<project>/<app>/`: names come with the pages of the list of all public apps. */
export function publicApps(
  lists: AppLists,
  unlisted: Readonly<Record<string, SyntheticDirectory>>,
): SyntheticDirectory {
  return level(lists, unlisted, {
    query: { visibility: 'public' },
    partOf: ({ owner }) => owner,
    below: (owner) =>
      level(
        lists,
        {},
        {
          query: { visibility: 'public', project_owner: owner },
          partOf: ({ project }) => project,
          below: (project) => appsOf(lists, { visibility: 'public', project: `${owner}/${project}` }),
          only: (project) => ({ visibility: 'public', project: `${owner}/${project}` }),
        },
      ),
    only: (owner) => ({ visibility: 'public', project_owner: owner }),
  });
}

interface Level {
  readonly query: AppQuery;
  /** The part of an app's id that is a name here. */
  readonly partOf: (id: AppId) => string;
  readonly below: (part: string) => SyntheticDirectory;
  /** The apps below a name. */
  readonly only: (part: string) => AppQuery;
}

function level(
  lists: AppLists,
  unlisted: Readonly<Record<string, SyntheticDirectory>>,
  { query, partOf, below, only }: Level,
): SyntheticDirectory {
  const pages = appPages(lists, query, (id) => ({
    name: shownName(partOf(id), 'entry'),
    kind: 'directory',
    entry: below(partOf(id)),
  }));
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: lists.ttlMs,
    list: (cursor, signal) => pageOf(pages, cursor, signal),
    lookup: (name, signal) => {
      if (Object.hasOwn(unlisted, name)) return unlisted[name];
      const find = async (part: string): Promise<SyntheticEntry | undefined> =>
        (await hasApps(lists, only(part), signal)) ? below(part) : undefined;
      return findNamed(name, directory, find, signal);
    },
  };
  return directory;
}
