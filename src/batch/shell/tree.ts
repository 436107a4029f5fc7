import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import type { Api } from '../../api/api.ts';
import type { AnyPlace } from '../../places/any-place.ts';
import { type PlacesApi, PRIORITY } from '../../places/asking.ts';
import { listFolder } from '../../places/list-files.ts';
import { type FolderPlace, placeIn } from '../../places/places.ts';
import { withoutTrash } from '../../places/trash-folder.ts';

export interface TreeFile {
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** An entry and all below it, by their paths from it: its own is empty. */
export interface Tree {
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, TreeFile>;
}

export const NO_TREE: Tree = { folders: new Set(), files: new Map() };

export interface Looking {
  readonly api: PlacesApi & { readonly volumes: Pick<Api['volumes'], 'contents'> };
  readonly signal: AbortSignal;
}

interface Growing {
  readonly folders: Set<string>;
  readonly files: Map<string, TreeFile>;
}

/** Lists an entry of the platform: a request for each 100 entries of a folder. */
export async function treeAt(place: AnyPlace, looking: Looking): Promise<Tree> {
  const tree: Growing = { folders: new Set(), files: new Map() };
  switch (place.kind) {
    case 'file':
      tree.files.set('', { bytes: place.file.sizeBytes, modifiedMs: place.file.modifiedMs });
      break;
    case 'object': {
      const { sizeBytes = 0, modifiedMs = 0 } = place.record ?? {};
      tree.files.set('', { bytes: sizeBytes, modifiedMs });
      break;
    }
    case 'folder':
      await addFolder(place, '', tree, looking);
      break;
    case 'prefix':
      await addLevel(place, '', tree, looking);
      break;
  }
  return tree;
}

async function addFolder(folder: FolderPlace, path: string, tree: Growing, looking: Looking): Promise<void> {
  tree.folders.add(path);
  const entries = await listFolder(folder, looking);
  const places = withoutTrash(
    folder,
    entries.map((entry) => placeIn(folder, entry)),
  );
  for (const each of places) {
    const below = join(path, each.names.at(-1) ?? '');
    if (each.kind === 'folder') await addFolder(each, below, tree, looking);
    else tree.files.set(below, { bytes: each.file.sizeBytes, modifiedMs: each.file.modifiedMs });
  }
}

async function addLevel(
  { volume, prefix }: { readonly volume: string; readonly prefix: string },
  path: string,
  tree: Growing,
  { api, signal }: Looking,
): Promise<void> {
  tree.folders.add(path);
  let continuation: string | undefined;
  do {
    const page = await api.volumes.contents(volume, { prefix, continuation }, { signal, priority: PRIORITY });
    for (const { location, sizeBytes = 0, modifiedMs = 0 } of page.objects)
      if (location.length > prefix.length)
        tree.files.set(join(path, location.slice(prefix.length)), { bytes: sizeBytes, modifiedMs });
    for (const each of page.prefixes)
      await addLevel({ volume, prefix: each }, join(path, each.slice(prefix.length, -1)), tree, {
        api,
        signal,
      });
    ({ continuation } = page);
  } while (continuation !== undefined);
}

/** The same of this machine. Rejects with the system's error. */
export async function localTree(path: string): Promise<Tree> {
  const tree: Growing = { folders: new Set(), files: new Map() };
  const add = async (at: string, below: string): Promise<void> => {
    const stats = await (below === '' ? stat(at) : lstat(at));
    if (!stats.isDirectory()) {
      tree.files.set(below, { bytes: stats.size, modifiedMs: stats.mtimeMs });
      return;
    }
    tree.folders.add(below);
    const entries: readonly Dirent[] = await readdir(at, { withFileTypes: true });
    for (const { name } of entries) await add(`${at}/${name}`, join(below, name));
  };
  await add(path, '');
  return tree;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
