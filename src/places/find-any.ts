import type { Api } from '../api/api.ts';
import type { EntryRecord } from '../api/model.ts';
import { PAGE_LIMIT_MAX } from '../contract/limits.ts';
import type { AnyPlace, FreePlace, PrefixPlace } from './any-place.ts';
import { type PlacesApi, PRIORITY } from './asking.ts';
import { listFolder } from './list-files.ts';
import { type FolderPlace, MissingError, Places, placeOf } from './places.ts';
import type { PlatformPath } from './platform-path.ts';
import type { VolumePath } from './volume-path.ts';

export interface AnyPlacesApi extends PlacesApi {
  readonly volumes: Pick<Api['volumes'], 'contents' | 'object'>;
}

interface Asking {
  readonly api: AnyPlacesApi;
  readonly signal: AbortSignal;
}

/** Fewer names of a folder are asked for one by one. */
const MOST_SINGLE_LOOKUPS = 4;

/** Finds what paths mean on the platform, and where nothing is yet. */
export class AnyPlaces {
  readonly #asking: Asking;
  readonly #places: Places;

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#places = new Places(asking);
  }

  /** In the order of the paths; a `MissingError` for one of whose folder there is nothing either. */
  async inProjects(
    paths: readonly PlatformPath[],
  ): Promise<readonly (AnyPlace | FreePlace | MissingError)[]> {
    const wanted = new Map<string, Set<string>>();
    for (const { project, names } of paths) {
      const above = [project, ...names.slice(0, -1)].join('/');
      const known = wanted.get(above) ?? new Set();
      wanted.set(above, known);
      if (names.length > 0) known.add(names.at(-1) ?? '');
    }
    const entries = new Map<string, Promise<ReadonlyMap<string, EntryRecord>>>();
    const find = async (path: PlatformPath): Promise<AnyPlace | FreePlace | MissingError> => {
      const name = path.names.at(-1);
      try {
        if (name === undefined) return await this.#places.folder(path);
        const above = { project: path.project, names: path.names.slice(0, -1) };
        const directory = await this.#places.folder(above);
        const key = [above.project, ...above.names].join('/');
        const known = entries.get(key) ?? entriesNamed(directory, wanted.get(key) ?? new Set(), this.#asking);
        entries.set(key, known);
        const entry = (await known).get(name);
        return entry === undefined ? { kind: 'free', directory, name } : placeOf(path, entry);
      } catch (error) {
        if (error instanceof MissingError) return error;
        throw error;
      }
    };
    const found: (AnyPlace | FreePlace | MissingError)[] = [];
    for (const path of paths) found.push(await find(path));
    return found;
  }

  async onVolume({ volume, key }: VolumePath): Promise<AnyPlace | FreePlace> {
    const { api, signal } = this.#asking;
    const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
    if (key === '') return { kind: 'prefix', volume, prefix };
    if (!key.endsWith('/')) {
      const record = await api.volumes.object(volume, key, { signal, priority: PRIORITY });
      if (record !== undefined) return { kind: 'object', volume, location: key, record };
    }
    const { objects, prefixes } = await api.volumes.contents(
      volume,
      { prefix },
      { signal, priority: PRIORITY },
    );
    if (objects.length + prefixes.length > 0) return { kind: 'prefix', volume, prefix };
    const slash = prefix.lastIndexOf('/', prefix.length - 2) + 1;
    const directory: PrefixPlace = { kind: 'prefix', volume, prefix: prefix.slice(0, slash) };
    return { kind: 'free', directory, name: prefix.slice(slash, -1) };
  }
}

/** The entries of these names that a folder has: one by one, or by a listing where that takes fewer requests. */
export async function entriesNamed(
  folder: FolderPlace,
  names: ReadonlySet<string>,
  { api, signal }: { readonly api: PlacesApi; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, EntryRecord>> {
  const options = { signal, priority: PRIORITY } as const;
  const found = new Map<string, EntryRecord>();
  if (names.size > MOST_SINGLE_LOOKUPS) {
    const first = await api.files.list(folder.id, { offset: 0, limit: PAGE_LIMIT_MAX }, options);
    const pages = Math.ceil(first.total / PAGE_LIMIT_MAX);
    if (pages <= names.size) {
      const entries = pages <= 1 ? first.items : await listFolder(folder, { api, signal });
      for (const entry of entries) if (names.has(entry.name)) found.set(entry.name, entry);
      return found;
    }
  }
  for (const name of names) {
    const entry = await api.files.find({ parent: folder.id, name }, options);
    if (entry !== undefined) found.set(name, entry);
  }
  return found;
}
