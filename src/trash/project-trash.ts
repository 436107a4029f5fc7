import type { Api } from '../api/api.ts';
import type { CallOptions } from '../api/call-options.ts';
import { ApiError } from '../api/errors.ts';
import type { Jobs } from '../jobs/ports.ts';
import { TRASH } from '../places/trash-folder.ts';
import { makeFolder } from './make-folder.ts';
import { daysInTrash, daysOlderThan, entriesOf, type TrashDay } from './trash-days.ts';
import { isAt, type TrashedFile, type TrashPath, trashedFile } from './trashed-file.ts';

interface Parts {
  readonly files: Pick<Api['files'], 'find' | 'list' | 'move' | 'createFolder'>;
  readonly jobs: Pick<Jobs, 'delete'>;
  readonly signal: AbortSignal;
}

const CONFLICT = 409;
const MOST_NEAR_NAMES = 100;

/** What commands do with the trash of a project. */
export class ProjectTrash {
  readonly #files: Parts['files'];
  readonly #jobs: Parts['jobs'];
  readonly #options: CallOptions & { readonly signal: AbortSignal };
  /** Folders that files were restored to, by their paths. */
  readonly #folders = new Map<string, string>();

  constructor({ files, jobs, signal }: Parts) {
    this.#files = files;
    this.#jobs = jobs;
    this.#options = { signal, priority: 'data' };
  }

  /** The files that were removed, or are in the trash now, at a path and below; `olderThan` leaves younger days out. */
  async list(path: TrashPath, olderThan: OlderThan | undefined): Promise<readonly TrashedFile[]> {
    const found: TrashedFile[] = [];
    for (const { id, day } of await this.#days(path, olderThan))
      for await (const file of this.#filesBelow(id, day, [])) if (isAt(file, path)) found.push(file);
    return found;
  }

  /**
   * Puts a file back where it was, in folders that are made anew where they are gone. Answers its path there.
   *
   * @throws Error when the name is taken, unless `rename` lets it have one beside it
   */
  async restore(
    { rootFolder }: Pick<TrashPath, 'rootFolder'>,
    { id, names }: TrashedFile,
    { rename }: { readonly rename: boolean },
  ): Promise<readonly string[]> {
    const folders = names.slice(0, -1);
    const parent = await this.#folder(rootFolder, folders);
    const plain = names.at(-1) ?? '';
    for (let tries = 0; ; tries += 1) {
      const name = tries === 0 ? plain : nearName(plain, tries);
      try {
        await this.#files.move(id, { parent, name }, this.#options);
        return [...folders, name];
      } catch (error) {
        if (!isConflict(error) || tries >= MOST_NEAR_NAMES) throw error;
        if (!rename)
          throw new Error(
            `${names.join('/')} is there: rename or remove it first, or restore the old one beside it (--rename)`,
          );
      }
    }
  }

  /** Deletes for good what `list` gives for the same path. Whole days cost a job for a hundred of them. */
  async empty(path: TrashPath, olderThan: OlderThan | undefined, label: string): Promise<void> {
    const isWhole = path.names.length === 0 || (path.names.length === 1 && path.names[0] === TRASH);
    const gone = isWhole ? await this.#days(path, olderThan) : await this.list(path, olderThan);
    await this.#jobs.delete({ ids: gone.map(({ id }) => id), path: label }, this.#options);
  }

  async #days({ rootFolder }: TrashPath, olderThan: OlderThan | undefined): Promise<readonly TrashDay[]> {
    const days = await daysInTrash(this.#files, rootFolder, this.#options);
    return olderThan === undefined ? days : daysOlderThan(days, olderThan.ms, olderThan.nowMs);
  }

  async *#filesBelow(folder: string, day: string, above: readonly string[]): AsyncGenerator<TrashedFile> {
    for await (const entry of entriesOf(this.#files, folder, this.#options)) {
      const below = [...above, entry.name];
      if (entry.kind === 'folder') yield* this.#filesBelow(entry.id, day, below);
      else yield trashedFile(entry, day, below);
    }
  }

  async #folder(rootFolder: string, names: readonly string[]): Promise<string> {
    const name = names.at(-1);
    if (name === undefined) return rootFolder;
    const key = names.join('/');
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const parent = await this.#folder(rootFolder, names.slice(0, -1));
    const made = await makeFolder(this.#files, { parent, name }, this.#options);
    if (made.kind === 'file') throw new Error(`${key} is a file now: rename or remove it first`);
    this.#folders.set(key, made.id);
    return made.id;
  }
}

export interface OlderThan {
  readonly ms: number;
  readonly nowMs: number;
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === CONFLICT;
}

/** `report~1.txt`, so that it stays a file of its kind. */
function nearName(name: string, count: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}~${count}${name.slice(dot)}` : `${name}~${count}`;
}
