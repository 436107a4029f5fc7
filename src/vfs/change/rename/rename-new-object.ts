/**
 * A file that its volume does not have yet gets another name there. Its writer goes on, and closing it makes the object.
 * A closed file that stayed here for its name becomes the object before the rename returns. An object of the new name is
 * replaced as by a write to it.
 */

import { FsError } from '../../errors/fs-error.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import type { VolumeDirectoryNode, VolumeObjectNode } from '../../model/node.ts';
import type { RenameParts } from './rename-parts.ts';

export interface NewObjectRename {
  readonly source: VolumeObjectNode;
  readonly parent: VolumeDirectoryNode;
  readonly name: string;
  readonly target: VolumeObjectNode | undefined;
  readonly noReplace: boolean;
}

export async function renameNewObject(parts: RenameParts, rename: NewObjectRename): Promise<void> {
  const { tree, contents } = parts;
  const { source, parent, name, target } = rename;
  const from = { parent: source.parent, name: source.name };
  await contents.holding(target ? [source, target] : [source], async () => {
    const isHereStill = source.parent === from.parent && source.name === from.name;
    // A close that was under way has made it an object, or failed.
    if (source.record || !isHereStill) throw new FsError('ESTALE', `${from.name} is another file now`);
    const go = async (): Promise<void> => {
      await publishAt(parts, rename);
      if (target) await contents.unlinked(contents.of(target), undefined);
      tree.moved(source, { parent, name });
      tree.kernel.invalidateNode(source.id, -1);
    };
    // A reader of the old file need not wait for an upload and a job.
    await (target ? contents.of(target).holdingUp('writers', go) : go());
  });
}

/** Sends the draft to its new place, and publishes what nobody writes any more. When that fails, all is as it was. */
async function publishAt({ contents }: RenameParts, rename: NewObjectRename): Promise<void> {
  const { source, parent, name, target, noReplace } = rename;
  const { location } = source;
  const content = contents.of(source);
  const { exclusive } = content;
  source.location = parent.prefix + nameOnPlatform(name);
  content.replacesEtag = target?.record?.etag;
  content.exclusive = noReplace;
  try {
    await contents.retarget(content);
    if (content.writers === 0) await contents.publishHolding(content);
  } catch (error) {
    source.location = location;
    content.replacesEtag = undefined;
    content.exclusive = exclusive;
    await contents.retarget(content);
    throw error;
  }
  if (!source.record) return;
  // Those were the file's; the object has none but its own.
  source.mode = undefined;
  source.writtenMs = undefined;
  source.mtimeNs = undefined;
  source.owner = undefined;
}
