/**
 * An object gets another name in its bucket: the store copies it, and then the old one is removed. A kill between the two leaves
 * both names, and the same rename made again goes on from there. Nothing is removed that was not copied.
 */
import type { VolumeObjectRecord } from '../../../api/model.ts';
import { FsError } from '../../errors/fs-error.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import { existsNow, type VolumeDirectoryNode, type VolumeObjectNode } from '../../model/node.ts';
import { keepLevel } from '../remove/keep-level.ts';
import type { RenameParts } from './rename-parts.ts';
import { requireNotWritten } from './require-sent.ts';

export interface ObjectRename {
  readonly source: VolumeObjectNode & { readonly record: VolumeObjectRecord };
  readonly parent: VolumeDirectoryNode;
  readonly name: string;
  readonly target: VolumeObjectNode | undefined;
  readonly noReplace: boolean;
}

export async function renameObject(parts: RenameParts, rename: ObjectRename): Promise<void> {
  const { tree, contents } = parts;
  const { source, parent, name, target } = rename;
  const from = { parent: source.parent, name: source.name };
  for (const node of [source, target]) if (node) await contents.publishClosed(node);
  await contents.holding(target ? [source, target] : [source], async () => {
    const isHereStill = source.parent === from.parent && source.name === from.name;
    if (!isHereStill) throw new FsError('ESTALE', `${from.name} is another file now`);
    for (const node of [source, target]) if (node) requireNotWritten(contents, node);
    const record = await replacing(parts, target, () => copyAndRemove(parts, rename));
    source.location = record.location;
    tree.moved(source, { parent, name });
    tree.published(source, record);
    existsNow(parent);
    keepLevel(from.parent);
    // A program that reads it goes on with the bytes of its new name.
    contents.find(source)?.renewViews();
  });
}

async function copyAndRemove({ tree }: RenameParts, rename: ObjectRename): Promise<VolumeObjectRecord> {
  const { source, parent, name, noReplace } = rename;
  const { volume, location, record } = source;
  const { buckets } = tree.api;
  const copied = await buckets.copy(
    { volume: volume.id, location, etag: record.etag },
    { volume: volume.id, location: parent.prefix + nameOnPlatform(name), overwrite: !noReplace },
  );
  await buckets.delete(volume.id, location);
  return copied;
}

/** Nobody begins to write to the replaced object meanwhile. */
async function replacing<T>(
  { contents }: RenameParts,
  target: VolumeObjectNode | undefined,
  replace: () => Promise<T>,
): Promise<T> {
  if (!target) return replace();
  const content = contents.of(target);
  return content.holdingUp('writers', async () => {
    const done = await replace();
    await contents.unlinked(content, undefined);
    return done;
  });
}
