import type { ProjectFileNode } from '../node.ts';
import type { Contents } from '../open/contents.ts';
import type { Tree } from '../tree.ts';
import type { Asides } from './asides.ts';
import { removeReplaced } from './replaced-file.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
}

/**
 * Takes a file away, on the platform and here. One that is open goes aside at once, so that a refusal of the platform
 * is told, and is deleted with its last handle; one that was never published is dropped, and the
 * file it was renamed over goes. The caller holds the lock of
 * its content.
 */
export function removeFile({ tree, contents, asides }: Parts, node: ProjectFileNode): Promise<void> {
  const { record } = node;
  const content = contents.of(node);
  return contents.whileLeaving(content, async (inUse) => {
    if (record && inUse) await asides.keepForHandles(record, node);
    else if (record) await tree.api.files.delete(record.id);
    else await removeReplaced({ tree, asides }, node, content);
    await contents.unlinked(content, record && inUse ? () => asides.delete(record.id) : undefined);
    tree.detach(node);
  });
}
