/**
 * The import of a whole folder of a volume (`preserve_folder_structure`): an alias for each object below it, in folders
 * like the volume's. All of them appear in one transaction, or none.
 */

import { newFile } from '../actions/new-file.ts';
import { freeName } from '../actions/place-file.ts';
import type { Bucket, ObjectInfo } from '../buckets/bucket.ts';
import { randomId } from '../random-id.ts';
import { checkFileName, checkFolderName } from '../rules/names.ts';
import { ServiceError } from '../service-error.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';

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

/** Makes the folders and aliases, inside a transaction, and answers the folder. @throws ServiceError 9108, 5024 */
export async function insertAliasTree(tx: Store, tree: AliasTree): Promise<FileRow> {
  const top = await folderIn(tx, tree, { parent: tree.parent, name: tree.name });
  const folders = new Map([['', top]]);
  for (const { path, fields } of tree.aliases) {
    const cut = path.lastIndexOf('/');
    const folder = await folderAt(tx, tree, { folders, path: path.slice(0, Math.max(cut, 0)) });
    const name = checkFileName(path.slice(cut + 1), 9018);
    const { overwrite, now } = tree;
    await freeName(tx, { parentId: folder.id, name, overwrite, taken: 9108 }, { now });
    await tx.files.insert(newFile({ ...placeIn(folder, tree), name, ...fields }));
  }
  return top;
}

/** The folder at a path below the top one, made with all above it when missing. */
async function folderAt(
  tx: Store,
  tree: AliasTree,
  { folders, path }: { readonly folders: Map<string, FileRow>; readonly path: string },
): Promise<FileRow> {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const cut = path.lastIndexOf('/');
  const parent = await folderAt(tx, tree, { folders, path: path.slice(0, Math.max(cut, 0)) });
  const folder = await folderIn(tx, tree, { parent, name: path.slice(cut + 1) });
  folders.set(path, folder);
  return folder;
}

async function folderIn(
  tx: Store,
  tree: AliasTree,
  { parent, name }: { readonly parent: FileRow; readonly name: string },
): Promise<FileRow> {
  const there = await tx.files.findChild(parent.id, name);
  if (there?.kind === 'folder') return there;
  if (there !== undefined) throw new ServiceError(9108, `A file of the name ${name} exists.`);
  const folder = newFile({ ...placeIn(parent, tree), name: checkFolderName(name), kind: 'folder' });
  await tx.files.insert(folder);
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
