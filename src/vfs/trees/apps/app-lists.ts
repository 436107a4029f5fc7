import type { Api, PlatformRecord } from '../../../api/api.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticName } from '../../model/synthetic.ts';
import { findNamed, pageOf, type RecordPages } from '../record-pages.ts';
import { appDirectory } from './app-directory.ts';
import type { Documents } from './documents.ts';

export interface AppLists {
  readonly api: Pick<Api, 'records'>;
  readonly documents: Documents;
  readonly ttlMs: number;
}

/** The names in an app's directory are made of these; its document is not asked for. */
const FIELDS = 'href,id,project,name,revision';

/** As `GET /apps` has it. */
export interface AppQuery extends Readonly<Record<string, string | undefined>> {
  readonly visibility?: 'public';
  readonly project?: string;
  readonly project_owner?: string;
  readonly q?: string;
  readonly id?: string;
}

export interface AppId {
  readonly owner: string;
  readonly project: string;
  readonly app: string;
}

/** Undefined: it is no id of an app, `owner/project/app`, with a revision or without. */
export function appIdOf({ id }: PlatformRecord): AppId | undefined {
  if (typeof id !== 'string') return undefined;
  const [owner, project, app] = id.split('/');
  return owner && project && app ? { owner, project, app } : undefined;
}

export function appPages(
  { api }: AppLists,
  query: AppQuery,
  nameOf: (id: AppId, record: PlatformRecord) => SyntheticName,
): RecordPages {
  return {
    api,
    kind: 'apps',
    query: { fields: FIELDS, ...query },
    nameOf: (record) => {
      const id = appIdOf(record);
      return id && nameOf(id, record);
    },
  };
}

/** Whether the list has anything, for one request of one item. */
export async function hasApps({ api }: AppLists, query: AppQuery, signal: AbortSignal): Promise<boolean> {
  const { items } = await api.records.list(
    'apps',
    { fields: 'id', ...query },
    { offset: 0, limit: 1 },
    { signal },
  );
  return items.length > 0;
}

/** The apps of a project, each as its directory. */
export function appsOf(lists: AppLists, query: AppQuery & { readonly project: string }): SyntheticDirectory {
  // Inputs of a public app are in a project that only its user knows.
  const exampleProject = query.visibility === 'public' ? 'OWNER/PROJECT' : query.project;
  const entry = ({ owner, project, app }: AppId, record: PlatformRecord): SyntheticDirectory =>
    appDirectory(`${owner}/${project}/${app}`, record, { ...lists, exampleProject });
  const pages = appPages(lists, query, (id, record) => ({
    name: shownName(id.app, 'entry'),
    kind: 'directory',
    entry: entry(id, record),
  }));
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: lists.ttlMs,
    list: (cursor, signal) => pageOf(pages, cursor, signal),
    lookup: (shown, signal) =>
      findNamed(
        shown,
        directory,
        async (name) => {
          const one = { ...pages, query: { ...pages.query, id: `${query.project}/${name}` } };
          return (await pageOf(one, undefined, signal)).names.find((each) => each.name === shown)?.entry;
        },
        signal,
      ),
  };
  return directory;
}
