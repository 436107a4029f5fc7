import { FsError } from '../fs-error.ts';
import type { ProjectFileNode, VolumeObjectNode } from '../node.ts';
import { isDirectory } from '../node.ts';
import type { Contents } from '../open/contents.ts';
import type { FileContent } from '../open/file-content.ts';
import type { Place } from '../operations.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';
import type { Asides } from './asides.ts';
import { deleteReplaced } from './delete-replaced.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
}

/**
 * Removes a file. One that is open goes aside at once, so that a refusal of the platform is told, and is deleted with
 * its last handle; one that was never published is dropped.
 */
export async function unlink(parts: Parts, place: Place, signal: AbortSignal): Promise<void> {
  const { tree, contents } = parts;
  const node = await tree.childOf(place.parent, place.name, signal);
  if (!node) throw new FsError('ENOENT', `there is no ${place.name}`);
  if (isDirectory(node)) throw new FsError('EISDIR', `${place.name} is a directory`);
  requireWritable(tree, place.parent);
  if (node.kind === 'virtual-file') throw new FsError('EPERM', `${place.name} is made by the file system`);
  await contents.holding([node], async () => {
    const content = contents.of(node);
    if (node.kind === 'project-file') await unlinkFile(parts, node, content);
    else await unlinkObject(parts, node, content);
  });
}

function unlinkFile(
  { tree, contents, asides }: Parts,
  node: ProjectFileNode,
  content: FileContent,
): Promise<void> {
  const { record } = node;
  return contents.whileLeaving(content, async (inUse) => {
    if (record && inUse) await asides.keepForHandles(record, node);
    else if (record) await tree.api.files.delete(record.id);
    else await deleteReplaced(tree, content);
    await contents.unlinked(content, record && inUse ? () => asides.delete(record.id) : undefined);
    tree.detach(node);
  });
}

async function unlinkObject(
  { tree, contents }: Parts,
  node: VolumeObjectNode,
  content: FileContent,
): Promise<void> {
  if (node.record)
    throw new FsError(
      'EPERM',
      `the API deletes no objects: ${node.location} stays on volume ${node.volume.id}`,
    );
  await contents.unlinked(content, undefined);
  tree.detach(node);
}
