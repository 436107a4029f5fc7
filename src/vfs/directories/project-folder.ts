import type { Api } from '../../api/api.ts';
import type { EntryRecord, FolderRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { keptFolderName, reservedNameOf, reservedNamesIn } from '../../jobs/reserved-folders.ts';
import { linkPairOf } from '../../jobs/symbolic-link.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import { pagesInOrder } from '../../lib/pages-in-order.ts';
import { isAside } from '../model/aside-name.ts';
import { meaningOf, shownFolderName, shownName } from '../model/escape.ts';
import type { Listed } from '../model/listed.ts';
import type { ProjectFolderNode } from '../model/node.ts';
import { folderIdOf } from '../model/node.ts';
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
    const { signal } = options;
    let wanted = true;
    const goOn = async (total: number): Promise<boolean> => {
      wanted = await options.goOn(total);
      return wanted;
    };
    const collection = { what: folder.name, limit: PAGE_LIMIT_MAX, goOn, signal };
    let kept = new KeptFolders();
    let last: PageOfPass<EntryRecord> | undefined;
    let failure: unknown;
    try {
      for await (const page of pagesInOrder(fetch, collection)) {
        if (page.pass !== last?.pass) kept = new KeptFolders();
        last = page;
        const items = kept.allBut(page.items.filter((record) => !isAside(record)));
        yield { ...page, items: items.map((record) => listedEntry(record, this.#showing)) };
      }
    } catch (error) {
      failure = error;
    }
    const late = kept.listed();
    if (wanted && last && late.length > 0) yield { ...last, items: late };
    if (failure !== undefined) throw failure;
  }

  async find(folder: ProjectFolderNode, name: string, signal: AbortSignal): Promise<Listed | undefined> {
    const meaning = meaningOf(name);
    if (meaning.kind !== 'plain' && meaning.kind !== 'escaped-entry') return undefined;
    const record = await this.#findEntry(folder, meaning.name, signal);
    const reserved = record && reservedNameOf(record);
    if (record && !isAside(record)) {
      const isByOtherName =
        reserved !== undefined && (await this.#findEntry(folder, reserved, signal)) === undefined;
      const listed = listedEntry(record, this.#showing);
      if (reserved === undefined) return listed;
      return isByOtherName ? undefined : { ...listed, name };
    }
    const keptName = keptFolderName(meaning.name);
    if (meaning.kind !== 'plain' || keptName === meaning.name) return undefined;
    const kept = await this.#findEntry(folder, keptName, signal);
    return kept?.kind === 'folder' ? listedEntry(kept, this.#showing) : undefined;
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
  const name = record.kind === 'folder' ? shownFolderName(record.name) : shownName(record.name, 'entry');
  return { kind: 'entry', name, record, link };
}

/**
 * The folders of one pass that are kept under another name than their own. A platform folder whose real name is the shown
 * one has that name, on whatever page it comes. So these are told last.
 */
class KeptFolders {
  readonly #folders = new Map<string, FolderRecord>();
  readonly #taken = new Set<string>();

  allBut(records: readonly EntryRecord[]): readonly EntryRecord[] {
    for (const name of reservedNamesIn(records)) this.#taken.add(name);
    return records.filter((record) => {
      if (record.kind !== 'folder' || reservedNameOf(record) === undefined) return true;
      this.#folders.set(record.id, record);
      return false;
    });
  }

  listed(): readonly Listed[] {
    return [...this.#folders.values()].map((record) => {
      const isTaken = this.#taken.has(reservedNameOf(record) ?? '');
      const name = isTaken ? shownName(record.name, 'entry') : shownFolderName(record.name);
      return { kind: 'entry', name, record, link: undefined };
    });
  }
}
