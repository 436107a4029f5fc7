import { type FileRow, fileBatchesIn } from '../files/files.ts';
import type { Store } from '../store/store.ts';

const BATCH = 1000;

/**
 * A draft of the entries at a set of paths below a folder, inside a transaction. Present entries are read by the batch,
 * changes are made in memory, and written by the batch.
 */
export class FileDraft {
  readonly #there = new Map<string, FileRow>();
  readonly #made = new Map<string, FileRow>();

  /** @param paths All that `find` is to find, with the folders on the way there */
  static async read(tx: Store, folder: FileRow, paths: Iterable<string>): Promise<FileDraft> {
    const draft = new FileDraft();
    let level = new Map([[folder.id, nameTree(paths)]]);
    while (level.size > 0) level = await draft.#readLevel(tx, level);
    return draft;
  }

  /** Reads what these folders hold of the names, and answers the same for the folders among it. */
  async #readLevel(tx: Store, level: ReadonlyMap<string, NameTree>): Promise<Map<string, NameTree>> {
    const below = new Map<string, NameTree>();
    const places = [...level].flatMap(([parent_id, names]) =>
      [...names.keys()].map((name) => ({ parent_id, name })),
    );
    for (const row of await fileBatchesIn(tx).findChildren(places)) {
      this.#there.set(placeOf(row), row);
      const names = level.get(row.parent_id ?? '')?.get(row.name);
      if (row.kind === 'folder' && names !== undefined) below.set(row.id, names);
    }
    return below;
  }

  /** The entry in its place, as it is to be. */
  find(parentId: string, name: string): FileRow | undefined {
    const place = placeOf({ parent_id: parentId, name });
    return this.#made.get(place) ?? this.#there.get(place);
  }

  /** Puts a new file or folder, without metadata or tags, in its place; a file that is there gives way. */
  put(row: FileRow): void {
    this.#made.set(placeOf(row), row);
  }

  /** Writes what was put; to be called before the draft is let go of. */
  async write(tx: Store, now: string): Promise<void> {
    const replaced = [...this.#made.keys()].flatMap((place) => this.#there.get(place) ?? []);
    await fileBatchesIn(tx).delete(replaced, now);
    await fileBatchesIn(tx).insertBare([...this.#made.values()]);
    for (const [place, row] of this.#made) this.#there.set(place, row);
    this.#made.clear();
  }

  /** Writes what was put once it is enough for a batch. */
  async writeBatch(tx: Store, now: string): Promise<void> {
    if (this.#made.size >= BATCH) await this.write(tx, now);
  }
}

/** No name holds a slash, and no id either. */
function placeOf({ parent_id, name }: Pick<FileRow, 'parent_id' | 'name'>): string {
  return `${parent_id}/${name}`;
}

/** Names in a folder, each with those below it. */
interface NameTree extends Map<string, NameTree> {}

/** A path with an empty segment may stand for one without, or be refused later: both find what they need. */
function nameTree(paths: Iterable<string>): NameTree {
  const root: NameTree = new Map();
  for (const path of paths) {
    let names = root;
    for (const name of path.split('/')) {
      if (name === '') continue;
      const below = names.get(name) ?? new Map();
      names.set(name, below);
      names = below;
    }
  }
  return root;
}
