import { FsError } from '../../errors/fs-error.ts';
import type { FileContent } from '../../model/file-content.ts';
import type { VolumeObjectNode } from '../../model/node.ts';
import { isDirectory } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import { requireDeletes } from '../../model/protection.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';
import type { Contents } from '../../open/contents.ts';
import type { Asides } from '../aside/asides.ts';
import { hasNameStill } from '../aside/named-now.ts';
import type { Trash } from '../trash/trash.ts';
import { keepLevel } from './keep-level.ts';
import { removeFile } from './remove-file.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
  readonly trash: Trash;
}

/** Removes a file, or an object: one that was never published, or of a bucket that there are keys for. */
export async function unlink(parts: Parts, place: Place, signal: AbortSignal): Promise<void> {
  // The file may have got another name while this waited for work on it.
  while (!(await unlinkWhatIsThere(parts, place, signal)));
}

async function unlinkWhatIsThere(parts: Parts, place: Place, signal: AbortSignal): Promise<boolean> {
  const { tree, contents } = parts;
  const node = await tree.childOf(place.parent, place.name, signal);
  if (!node) throw new FsError('ENOENT', `there is no ${place.name}`);
  if (isDirectory(node)) throw new FsError('EISDIR', `${place.name} is a directory`);
  requireWritable(tree, place.parent);
  if (node.kind === 'special-file') {
    tree.detach(node);
    return true;
  }
  return contents.removing(node, async () => {
    await contents.findUnanswered(node);
    if (!(await hasNameStill(tree, node, place, signal))) return false;
    requireDeletes(tree, node);
    if (node.kind === 'project-file') await removeFile(parts, node, { untilSent: signal });
    else await unlinkObject(parts, node, contents.of(node));
    return true;
  });
}

async function unlinkObject(
  { tree, contents }: Parts,
  node: VolumeObjectNode,
  content: FileContent,
): Promise<void> {
  const { parent, volume, location } = node;
  if (node.record && !tree.api.buckets.has(volume.id))
    throw new FsError('EPERM', `the API deletes no objects: ${location} stays on volume ${volume.id}`);
  // A program that reads it learns that it is gone; the store keeps nothing for open handles.
  if (node.record) await tree.api.buckets.delete(volume.id, location);
  await contents.unlinked(content, undefined);
  tree.detach(node);
  keepLevel(parent);
}
