import { isAbort } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import { isLocalOnly } from '../../model/identity.ts';
import type { Node, ProjectFolderNode, VolumeDirectoryNode } from '../../model/node.ts';
import { isDirectory } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import { requireDeletes } from '../../model/protection.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';
import { keepLevel } from './keep-level.ts';

/** Removes an empty folder; on a volume only one without an object, which is of this mount alone. */
export async function removeDirectory(tree: Tree, place: Place, signal: AbortSignal): Promise<void> {
  const node = await tree.childOf(place.parent, place.name, signal);
  if (!node) throw new FsError('ENOENT', `there is no ${place.name}`);
  if (!isDirectory(node)) throw new FsError('ENOTDIR', `${place.name} is not a directory`);
  requireWritable(tree, place.parent);
  requireDeletes(tree, node);
  if (node.kind === 'project-folder') await removeFolder(tree, node, signal);
  else if (node.kind === 'volume-directory') await removeLevel(tree, node, signal);
  tree.detach(node);
  if (node.kind === 'volume-directory') keepLevel(place.parent);
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

/** Where objects can be removed, the last one may just have been. */
async function removeLevel(tree: Tree, node: VolumeDirectoryNode, signal: AbortSignal): Promise<void> {
  if (!tree.api.buckets.has(node.volume.id)) return requireLocalAndEmpty(node);
  requireNothing(node, isLocalOnly);
  const key = await firstKeyOf(tree, node, signal);
  if (key !== undefined) throw new FsError('ENOTEMPTY', `${node.name} is not empty: it has ${key}`);
}

async function firstKeyOf(
  { api }: Tree,
  { volume, prefix }: VolumeDirectoryNode,
  signal: AbortSignal,
): Promise<string | undefined> {
  let continuation: string | undefined;
  do {
    const page = await api.volumes.contents(volume.id, { prefix, continuation }, { signal });
    const [key] = [...page.objects.map(({ location }) => location), ...page.prefixes];
    if (key !== undefined) return key;
    // A store that passed over many deleted keys says that there may be more.
    continuation = page.continuation;
  } while (continuation !== undefined);
  return undefined;
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
