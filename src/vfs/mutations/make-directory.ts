import { folderNameOnPlatform } from '../escape.ts';
import { FsError } from '../fs-error.ts';
import type { Node, ProjectFolderNode } from '../node.ts';
import { folderIdOf } from '../node.ts';
import type { Place } from '../operations.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';
import { requireName } from './names.ts';

/** A folder on the platform; on a volume, which knows no folders, one of this mount until its first object. */
export async function makeDirectory(tree: Tree, place: Place, mode: number): Promise<Node> {
  const { parent, name } = place;
  requireWritable(tree, parent);
  requireName(parent, name, 'folder');
  if (parent.kind === 'volume-directory') {
    const node = tree.newVolumeDirectory(parent, name);
    tree.placed(node);
    return node;
  }
  if (parent.kind !== 'project-folder')
    throw new FsError('EPERM', 'projects and volumes are made on the platform');
  return makeFolder(tree, { parent, name }, mode);
}

async function makeFolder(
  tree: Tree,
  { parent, name }: { readonly parent: ProjectFolderNode; readonly name: string },
  mode: number,
): Promise<Node> {
  const record = await tree.api.files.createFolder({
    parent: folderIdOf(parent),
    name: folderNameOnPlatform(name),
  });
  const node = tree.placedRecord(parent, record, { empty: true });
  const usual = 0o777 & ~tree.options.umask;
  if (node.kind === 'project-folder' && (mode & 0o7777) !== usual) {
    node.mode = mode & 0o7777;
    tree.folderState.set(record.id, { mode: node.mode });
  }
  return node;
}
