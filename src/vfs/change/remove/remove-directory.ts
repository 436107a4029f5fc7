import { isAbort } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { Node, ProjectFolderNode, VolumeDirectoryNode } from '../../model/node.ts';
import { isDirectory } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import { requireDeletes } from '../../model/protection.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';

/** Removes an empty folder; on a volume only one that mkdir(2) made here and that got no object. */
export async function removeDirectory(tree: Tree, place: Place, signal: AbortSignal): Promise<void> {
  const node = await tree.childOf(place.parent, place.name, signal);
  if (!node) throw new FsError('ENOENT', `there is no ${place.name}`);
  if (!isDirectory(node)) throw new FsError('ENOTDIR', `${place.name} is not a directory`);
  requireWritable(tree, place.parent);
  requireDeletes(tree, node);
  if (node.kind === 'project-folder') await removeFolder(tree, node, signal);
  else if (node.kind === 'volume-directory') requireLocalAndEmpty(node);
  tree.detach(node);
}

/** From the platform, which refuses one that is not empty. It stays in the tree. */
export async function removeFolder(
  tree: Tree,
  node: ProjectFolderNode,
  untilSent?: AbortSignal,
): Promise<void> {
  requireNothing(
    node,
    (child) => child.kind === 'special-file' || (child.kind === 'project-file' && !child.record),
  );
  if (!node.record) throw new FsError('EPERM', 'projects are removed on the platform');
  try {
    await tree.api.files.delete(node.record.id, { untilSent });
  } catch (error) {
    // Another client has put entries there: the next listing shows them.
    if (!isAbort(error)) tree.expire(node);
    throw error;
  }
  tree.folderState.delete(node.record.id);
}

function requireLocalAndEmpty(node: VolumeDirectoryNode): void {
  if (!node.local)
    throw new FsError('ENOTEMPTY', `${node.name} is there as long as its objects are; the API deletes none`);
  requireNothing(node, () => true);
}

/** The platform refuses a folder with files in it; of those that are only here it does not know. */
function requireNothing(
  directory: ProjectFolderNode | VolumeDirectoryNode,
  isOnlyHere: (child: Node) => boolean,
): void {
  for (const child of directory.children.nodes())
    if (isOnlyHere(child))
      throw new FsError('ENOTEMPTY', `${directory.name} is not empty: it has ${child.name}`);
}
