import type { Asking } from './asking.ts';
import { getFiles } from './get-files.ts';
import type { FolderPlace } from './places.ts';

/** Paths of folders by their ids, up to one folder: what is not below that has none. */
export class FolderPaths {
  readonly #asking: Asking;
  readonly #names = new Map<string, readonly string[] | undefined>();

  constructor({ id, names }: FolderPlace, asking: Asking) {
    this.#asking = asking;
    this.#names.set(id, names);
  }

  /** Asks about folders, then about those above them: one request for each 100 of a level. */
  async learn(ids: Iterable<string | undefined>): Promise<void> {
    const above = new Map<string, { readonly name: string; readonly parent: string | undefined }>();
    const isNew = (id: string | undefined): id is string =>
      id !== undefined && !this.#names.has(id) && !above.has(id);
    let asked = [...new Set(ids)].filter(isNew);
    while (asked.length > 0) {
      for (const [id, found] of await getFiles(asked, this.#asking))
        above.set(id, found.ok ? found.value : { name: '', parent: undefined });
      const parents = asked.map((id) => above.get(id)?.parent);
      asked = [...new Set(parents)].filter(isNew);
    }
    const namesOf = (id: string | undefined): readonly string[] | undefined => {
      const folder = above.get(id ?? '');
      if (id === undefined || folder === undefined || this.#names.has(id)) return this.#names.get(id ?? '');
      const names = namesOf(folder.parent);
      this.#names.set(id, names && [...names, folder.name]);
      return this.#names.get(id);
    };
    for (const id of above.keys()) namesOf(id);
  }

  /** From the root folder of the project down. Undefined: it is elsewhere, or nobody has asked about it. */
  namesOf(id: string | undefined): readonly string[] | undefined {
    return this.#names.get(id ?? '');
  }
}
