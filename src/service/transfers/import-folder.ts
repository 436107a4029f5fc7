/**
 * The import of a whole folder of a volume (`preserve_folder_structure`): an alias for each object below it, in folders
 * like the volume's. All of them appear in one transaction, or none.
 */

import { randomId } from '../../lib/random-id.ts';
import { checkFileName, checkFolderName, checkGivesWay, type FileRow, newFile } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Bucket, ObjectInfo } from '../storage/objects/bucket.ts';
import type { Store } from '../store/store.ts';
import { FileDraft } from './file-draft.ts';

const PAGE = 1000;

/** Every object whose key begins with the prefix, at any depth. */
export async function objectsBelow(
  bucket: Bucket,
  prefix: string,
  signal: AbortSignal,
): Promise<ObjectInfo[]> {
  const objects: ObjectInfo[] = [];
  const folders = [prefix];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    let continuation: string | undefined;
    do {
      signal.throwIfAborted();
      const page = await bucket.list({ prefix: folder, limit: PAGE, continuation });
      objects.push(...page.objects);
      folders.push(...page.prefixes);
      continuation = page.continuation;
    } while (continuation !== undefined);
  }
  return objects;
}

export interface AliasTree {
  /** The folder that is to hold the imported one, and its name there. */
  readonly parent: FileRow;
  readonly name: string;
  readonly overwrite: boolean;
  /** Path below the folder, and the alias's other fields. */
  readonly aliases: readonly { readonly path: string; readonly fields: Partial<FileRow> }[];
  readonly createdBy: string;
  readonly now: string;
}

/**
 * Makes the folders and aliases, inside a transaction, and answers the folder. An object whose key ends in `/` marks a folder, as
 * the consoles of stores make one, and is no file.
 *
 * @throws ServiceError 9108, 5024, 9018
 */
export async function insertAliasTree(tx: Store, tree: AliasTree): Promise<FileRow> {
  const { parent, overwrite, aliases, now } = tree;
  const paths = aliases.map(({ path }) => `${tree.name}/${path}`);
  const draft = await FileDraft.read(tx, parent, paths);
  const top = folderIn(draft, tree, { parent, name: tree.name });
  const folders = new Map([['', top]]);
  for (const { path, fields } of aliases) {
    const cut = path.lastIndexOf('/');
    const folder = folderAt(draft, tree, { folders, path: path.slice(0, Math.max(cut, 0)) });
    const last = path.slice(cut + 1);
    if (last === '') continue;
    const name = checkFileName(last, 9018);
    const holder = draft.find(folder.id, name);
    if (holder !== undefined) checkGivesWay(holder, { overwrite, taken: 9108 });
    draft.put(newFile({ ...placeIn(folder, tree), name, ...fields }));
    await draft.writeBatch(tx, now);
  }
  await draft.write(tx, now);
  return top;
}

/** The folder at a path below the top one, made with all above it when missing. */
function folderAt(
  draft: FileDraft,
  tree: AliasTree,
  { folders, path }: { readonly folders: Map<string, FileRow>; readonly path: string },
): FileRow {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const cut = path.lastIndexOf('/');
  const parent = folderAt(draft, tree, { folders, path: path.slice(0, Math.max(cut, 0)) });
  const folder = folderIn(draft, tree, { parent, name: path.slice(cut + 1) });
  folders.set(path, folder);
  return folder;
}

function folderIn(
  draft: FileDraft,
  tree: AliasTree,
  { parent, name }: { readonly parent: FileRow; readonly name: string },
): FileRow {
  const there = draft.find(parent.id, name);
  if (there?.kind === 'folder') return there;
  if (there !== undefined) throw new ServiceError(9108, `A file of the name ${name} exists.`);
  const folder = newFile({ ...placeIn(parent, tree), name: checkFolderName(name), kind: 'folder' });
  draft.put(folder);
  return folder;
}

function placeIn(
  folder: FileRow,
  { createdBy, now }: AliasTree,
): Pick<FileRow, 'id' | 'project_id' | 'parent_id' | 'created_by' | 'created_on'> {
  return {
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    created_by: createdBy,
    created_on: now,
  };
}
