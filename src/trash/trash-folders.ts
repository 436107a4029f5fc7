import type { Api } from '../api/api.ts';
import type { FolderRecord } from '../api/model.ts';
import type { Clock } from '../lib/clock.ts';
import { TRASH } from '../places/trash-folder.ts';
import { makeFolder } from './make-folder.ts';
import { dayOf, nameInTrash } from './trash-name.ts';

interface Parts {
  readonly files: Pick<Api['files'], 'createFolder' | 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The folders of today in the trash of each project, which are made when they are needed and then known. */
export class TrashFolders {
  readonly #files: Parts['files'];
  readonly #clock: Parts['clock'];
  #day = '';
  /** By the root folder of the project and the path from there. */
  readonly #known = new Map<string, Promise<string>>();
  readonly #ids = new Set<string>();
  readonly #trashes = new Map<string, FolderRecord>();

  constructor({ files, clock }: Parts) {
    this.#files = files;
    this.#clock = clock;
  }

  /** The folder in the trash for what is removed from a folder, by the names of that from the root folder down. */
  async of(root: string, names: readonly string[]): Promise<string> {
    const day = dayOf(this.#clock.now());
    if (day !== this.#day) this.forget();
    this.#day = day;
    return this.#at(root, [TRASH, day, ...names]);
  }

  /** The trash of a project, once a folder in it was asked for. */
  trashOf(root: string): FolderRecord | undefined {
    return this.#trashes.get(root);
  }

  /** Whether it is one of those that were asked for. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Somebody has removed some of them. */
  forget(): void {
    this.#known.clear();
    this.#ids.clear();
  }

  #at(root: string, names: readonly string[]): Promise<string> {
    const name = names.at(-1);
    if (name === undefined) return Promise.resolve(root);
    const key = JSON.stringify([root, ...names]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const making = this.#at(root, names.slice(0, -1)).then(async (parent) => {
      const folder = await this.#make(parent, name);
      if (parent === root) this.#trashes.set(root, folder);
      return folder.id;
    });
    this.#known.set(key, making);
    making.then(
      (id) => this.#ids.add(id),
      () => this.#known.delete(key),
    );
    return making;
  }

  /** Under another name where a removed file has that one. */
  async #make(parent: string, name: string): Promise<FolderRecord> {
    for (let isTaken = false; ; isTaken = true) {
      const made = await makeFolder(this.#files, {
        parent,
        name: nameInTrash(name, this.#clock.now(), { isTaken }),
      });
      if (made.kind === 'folder') return made;
    }
  }
}
