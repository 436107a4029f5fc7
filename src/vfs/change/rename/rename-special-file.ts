import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type { FolderNode, Node, SpecialFileNode } from '../../model/node.ts';
import { unlink } from '../remove/unlink.ts';
import type { RenameParts } from './rename-parts.ts';

/** Within its project or volume. A file that has the name is removed from the platform first. */
export async function renameSpecialFile(
  parts: RenameParts,
  rename: {
    readonly source: SpecialFileNode;
    readonly parent: FolderNode;
    readonly name: string;
    readonly target: Node | undefined;
  },
): Promise<void> {
  const { source, target, ...to } = rename;
  if (target && target.kind !== 'special-file') await unlink(parts, to, NEVER_ABORTED);
  parts.tree.moved(source, to);
}
