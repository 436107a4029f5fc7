import { nameOnPlatform, shownName } from '../../model/escape.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import { link } from '../../synthetic/entries.ts';
import { findAmongAll, pageOf } from '../record-pages.ts';
import { type AppId, type AppLists, type AppQuery, appPages } from './app-lists.ts';

/** `.search/<terms>/`: links to the apps in which each term is found. Terms are looked up and never listed. */
export function searches(lists: AppLists, query: AppQuery): SyntheticDirectory {
  return {
    kind: 'directory',
    entriesTtlMs: lists.ttlMs,
    list: () => ({ names: [] }),
    // Programs look for names with a dot in every directory.
    lookup: (terms) =>
      terms.startsWith('.') ? undefined : search(lists, { ...query, q: nameOnPlatform(terms) }),
  };
}

function search(lists: AppLists, query: AppQuery): SyntheticDirectory {
  const pages = appPages(lists, query, (id) => ({
    name: shownName(partsOf(id).join('~'), 'entry'),
    kind: 'link',
    entry: link(
      `../../${partsOf(id)
        .map((part) => shownName(part, 'entry'))
        .join('/')}`,
    ),
  }));
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: lists.ttlMs,
    list: (cursor, signal) => pageOf(pages, cursor, signal),
    lookup: (name, signal) =>
      name.startsWith('.') ? undefined : findAmongAll((each) => each === name, directory, signal),
  };
  return directory;
}

function partsOf({ owner, project, app }: AppId): readonly string[] {
  return [owner, project, app];
}
