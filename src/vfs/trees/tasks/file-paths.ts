import type { Api } from '../../../api/api.ts';
import type { EntryRecord } from '../../../api/model.ts';
import type { Clock } from '../../../lib/clock.ts';
import { SharedFlights } from '../../../lib/shared-flights.ts';
import { FolderPaths } from '../../../places/folder-paths.ts';
import { getFiles } from '../../../places/get-files.ts';
import { endsWithTime, errnoOf } from '../../errors/errno-of.ts';
import type { LearntEntries } from '../../listing/learn-entries.ts';
import { shownFolderName, shownName } from '../../model/escape.ts';

interface FilePathsParts {
  readonly api: Pick<Api, 'projects' | 'files'>;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** Told of entries that are there, of which the mount may not know yet: a task has just made them. */
  readonly onFound: (entries: readonly LearntEntries[]) => void;
}

interface KnownPath {
  /** From the top of the mount; undefined: it is gone, or the user cannot see it. */
  readonly path: string | undefined;
  readonly learntMs: number;
}

/** Where in `projects/` a file or folder is, by its id: for links to it. */
export class FilePaths {
  readonly #parts: FilePathsParts;
  readonly #known = new Map<string, KnownPath>();
  readonly #roots = new Map<string, string>();
  readonly #flights = new SharedFlights<string, void>({ endsWithTime });

  constructor(parts: FilePathsParts) {
    this.#parts = parts;
  }

  /**
   * The path of one of several files that are likely asked for together: one request for a hundred of them, and for each
   * level of folders, and once for each project.
   */
  async of(id: string, together: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    if (!this.#counts(id)) {
      const ids = together.filter((each) => !this.#counts(each));
      await this.#flights.join(ids.join(), signal, (shared) => this.#learn(ids, shared));
    }
    return this.#known.get(id)?.path;
  }

  #counts(id: string): boolean {
    const { clock, ttlMs } = this.#parts;
    const known = this.#known.get(id);
    return known !== undefined && clock.elapsed() - known.learntMs < ttlMs;
  }

  async #learn(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { api, clock } = this.#parts;
    const found = await getFiles(ids, { api, signal });
    const byProject = new Map<string, EntryRecord[]>();
    for (const [, result] of found) {
      if (!result.ok) continue;
      const { project } = result.value;
      byProject.set(project, [...(byProject.get(project) ?? []), result.value]);
    }
    const learntMs = clock.elapsed();
    const paths = new Map<string, string>();
    for (const [project, entries] of byProject) {
      const root = await this.#rootOf(project, signal);
      if (root === undefined) continue;
      const folders = new FolderPaths(
        { kind: 'folder', project, names: [], id: root, parent: undefined },
        { api, signal },
      );
      await folders.learn(entries.map(({ parent }) => parent));
      for (const entry of entries) {
        const above = entry.id === root ? [] : folders.namesOf(entry.parent);
        if (above !== undefined)
          paths.set(entry.id, pathOf(project, above, entry.id === root ? undefined : entry));
      }
    }
    this.#parts.onFound(
      [...byProject.values()]
        .flat()
        .flatMap(({ parent, name }) =>
          parent === undefined ? [] : [{ directory: { folder: parent }, names: [name] }],
        ),
    );
    this.#forgetOld(learntMs);
    for (const id of ids) this.#known.set(id, { path: paths.get(id), learntMs });
  }

  /** Undefined for a project that the user cannot see. A project keeps its root folder. */
  async #rootOf(project: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#roots.get(project);
    if (known !== undefined) return known;
    try {
      const { rootFolder } = await this.#parts.api.projects.get(project, { signal });
      this.#roots.set(project, rootFolder);
      return rootFolder;
    } catch (error) {
      if (['ENOENT', 'EACCES'].includes(errnoOf(error))) return undefined;
      throw error;
    }
  }

  #forgetOld(nowMs: number): void {
    for (const [id, { learntMs }] of this.#known)
      if (nowMs - learntMs >= this.#parts.ttlMs) this.#known.delete(id);
  }
}

function pathOf(project: string, folders: readonly string[], entry: EntryRecord | undefined): string {
  const [owner = '', name = ''] = project.split('/');
  const last =
    entry === undefined
      ? []
      : [entry.kind === 'folder' ? shownFolderName(entry.name) : shownName(entry.name, 'entry')];
  return [
    'projects',
    shownName(owner, 'entry'),
    shownName(name, 'entry'),
    ...folders.map(shownFolderName),
    ...last,
  ].join('/');
}
