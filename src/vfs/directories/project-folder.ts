import type { Api } from '../../api/api.ts';
import type { EntryRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { linkPairOf } from '../../jobs/symbolic-link.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import { pagesInOrder } from '../../lib/pages-in-order.ts';
import { isAside } from '../aside-name.ts';
import { meaningOf, shownName } from '../escape.ts';
import type { Listed } from '../listed.ts';
import type { ProjectFolderNode } from '../node.ts';
import { folderIdOf } from '../node.ts';
import type { Details } from './details.ts';
import type { PagingOptions, RemoteDirectory } from './remote-directory.ts';

/** A folder of a project: 100 entries a request, with all that `ls -l` and `getfattr` show. */
export class ProjectFolders implements RemoteDirectory<ProjectFolderNode> {
  readonly #api: Api;
  readonly #details: Details;
  readonly #showing: Showing;

  constructor(api: Api, details: Details, showing: Showing) {
    this.#api = api;
    this.#details = details;
    this.#showing = showing;
  }

  async *pages(folder: ProjectFolderNode, options: PagingOptions): AsyncGenerator<PageOfPass<Listed>> {
    await this.#details.project(folder.project, options.signal);
    const id = folderIdOf(folder);
    const fetch: Parameters<typeof pagesInOrder<EntryRecord>>[0] = (page, signal) =>
      this.#api.files.list(id, page, {
        signal,
        priority: options.priority ?? 'interactive',
        urgent: options.urgent,
        onUnusable: options.onUnusable,
      });
    const { goOn, signal } = options;
    const listed = (record: EntryRecord): Listed => listedEntry(record, this.#showing);
    const collection = { what: folder.name, limit: PAGE_LIMIT_MAX, goOn, signal };
    for await (const page of pagesInOrder(fetch, collection)) {
      yield { ...page, items: page.items.filter((record) => !isAside(record)).map(listed) };
    }
  }

  async find(folder: ProjectFolderNode, name: string, signal: AbortSignal): Promise<Listed | undefined> {
    const meaning = meaningOf(name);
    if (meaning.kind !== 'plain' && meaning.kind !== 'escaped-entry') return undefined;
    const record = await this.#findEntry(folder, meaning.name, signal);
    return record && !isAside(record) ? listedEntry(record, this.#showing) : undefined;
  }

  /** The first name asked for in a project is asked for beside its details, which have the id of the root folder. */
  async #findEntry(
    folder: ProjectFolderNode,
    name: string,
    signal: AbortSignal,
  ): Promise<EntryRecord | undefined> {
    const { project } = folder;
    const { files } = this.#api;
    if (project.record || folder.record) {
      await this.#details.project(project, signal);
      return files.find({ parent: folderIdOf(folder), name }, { signal });
    }
    const [record] = await Promise.all([
      files.find({ project: project.id, name }, { signal }),
      this.#details.project(project, signal),
    ]);
    const root = folderIdOf(folder);
    return (record?.parent ?? root) === root ? record : undefined;
  }
}

/** How entries of projects are to be shown. */
export interface Showing {
  /** Files that are marked as symbolic links are links. */
  readonly symlinks: boolean;
}

export function listedEntry(record: EntryRecord, { symlinks }: Showing): Listed {
  const link = symlinks && record.kind === 'file' ? linkPairOf(record) : undefined;
  return { kind: 'entry', name: shownName(record.name, 'entry'), record, link };
}
