import { FsError } from '../fs-error.ts';
import type { ProjectFolderNode, VolumeDirectoryNode } from '../node.ts';
import { isDirectory } from '../node.ts';
import type { Place } from '../operations.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';

/** Removes an empty folder; on a volume only one that mkdir(2) made here and that got no object. */
export async function removeDirectory(tree: Tree, place: Place, signal: AbortSignal): Promise<void> {
  const node = await tree.childOf(place.parent, place.name, signal);
  if (!node) throw new FsError('ENOENT', `there is no ${place.name}`);
  if (!isDirectory(node)) throw new FsError('ENOTDIR', `${place.name} is not a directory`);
  requireWritable(tree, place.parent);
  if (node.kind === 'project-folder') await removeFolder(tree, node);
  else if (node.kind === 'volume-directory') requireLocalAndEmpty(node);
  tree.detach(node);
}

async function removeFolder(tree: Tree, node: ProjectFolderNode): Promise<void> {
  requireNothingKnownIn(node);
  if (!node.record) throw new FsError('EPERM', 'projects are removed on the platform');
  await tree.api.files.delete(node.record.id);
  tree.folderState.delete(node.record.id);
}

function requireLocalAndEmpty(node: VolumeDirectoryNode): void {
  if (!node.local)
    throw new FsError('ENOTEMPTY', `${node.name} is there as long as its objects are; the API deletes none`);
  requireNothingKnownIn(node);
}

/** The platform refuses a folder with files in it; of those not yet published only we know. */
function requireNothingKnownIn(node: ProjectFolderNode | VolumeDirectoryNode): void {
  for (const child of node.children.nodes())
    throw new FsError('ENOTEMPTY', `${node.name} is not empty: it has ${child.name}`);
}
