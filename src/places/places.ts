import type { EntryRecord, FileRecord } from '../api/model.ts';
import type { Asking } from './asking.ts';
import { describePath, type PlatformPath } from './platform-path.ts';

export interface FolderPlace extends PlatformPath {
  readonly kind: 'folder';
  readonly id: string;
  /** Id of the folder that it is in; undefined for a project's root folder. */
  readonly parent: string | undefined;
}

export interface FilePlace extends PlatformPath {
  readonly kind: 'file';
  readonly file: FileRecord;
}

export type Place = FolderPlace | FilePlace;

/** Nothing is at a path. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}

/** Finds folders and files by their paths. Each folder on the way is asked for once. */
export class Places {
  readonly #asking: Asking;
  readonly #folders = new Map<string, Promise<FolderPlace>>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** @throws MissingError */
  async at(path: PlatformPath): Promise<Place> {
    const { project, names } = path;
    const name = names.at(-1);
    if (name === undefined) return this.folder(path);
    const { id: parent } = await this.folder({ project, names: names.slice(0, -1) });
    const found = await this.#asking.api.files.find({ parent, name }, { signal: this.#asking.signal });
    if (found === undefined) throw missing(path);
    return placeOf(path, found);
  }

  /** @throws MissingError also when it is a file */
  folder(path: PlatformPath): Promise<FolderPlace> {
    const key = describePath(path);
    const known = this.#folders.get(key) ?? this.#find(path);
    this.#folders.set(key, known);
    return known;
  }

  async #find({ project, names }: PlatformPath): Promise<FolderPlace> {
    if (names.length > 0) {
      const found = await this.at({ project, names });
      if (found.kind === 'folder') return found;
      throw new MissingError(`${describePath(found)}: no folder`);
    }
    const { api, signal } = this.#asking;
    const { rootFolder } = await api.projects.get(project, { signal }).catch((error: unknown) => {
      throw isNotFound(error) ? missing({ project, names }) : error;
    });
    return { kind: 'folder', project, names, id: rootFolder, parent: undefined };
  }
}

/** The place of an entry that was found at a path. */
export function placeOf({ project, names }: PlatformPath, entry: EntryRecord): Place {
  return entry.kind === 'file'
    ? { kind: 'file', project, names, file: entry }
    : { kind: 'folder', project, names, id: entry.id, parent: entry.parent };
}

/** The place of an entry of a folder. */
export function placeIn({ project, names }: FolderPlace, entry: EntryRecord): Place {
  return placeOf({ project, names: [...names, entry.name] }, entry);
}

function missing(path: PlatformPath): MissingError {
  return new MissingError(`${describePath(path)}: no such file or folder`);
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}
