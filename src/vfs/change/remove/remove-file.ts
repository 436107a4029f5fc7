import type { ReplacedFile } from '../../model/file-content.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';
import type { Asides } from '../aside/asides.ts';
import { publishedNow } from '../aside/replaced-file.ts';
import type { Trash } from '../trash/trash.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
  readonly trash: Trash;
}

interface Removal {
  readonly untilSent?: AbortSignal | undefined;
  /** Past the trash. Default false. */
  readonly forGood?: boolean;
}

/**
 * Takes a file away, on the platform and here: to the trash, where there is one. One that is open goes aside at once, so that a refusal of the platform
 * is told, and is deleted with its last handle; one that was never published is dropped, and the
 * file it was renamed over goes. The caller holds the lock of
 * its content.
 */
export function removeFile(parts: Parts, node: ProjectFileNode, removal: Removal = {}): Promise<void> {
  const { tree, contents } = parts;
  const content = contents.of(node);
  return contents.whileLeaving(content, async () => {
    const published = await publishedNow(parts, node);
    const whenClosed = published && (await removePublished(parts, published, { ...removal, node }));
    content.replaces = undefined;
    await contents.unlinked(content, whenClosed);
    tree.detach(node);
  });
}

/** Answers what is left for when the content of `node` is closed. */
async function removePublished(
  { tree, asides, trash }: Parts,
  { record, content }: ReplacedFile,
  { node, untilSent, forGood = false }: Removal & { readonly node: ProjectFileNode },
): Promise<(() => Promise<void>) | undefined> {
  if (!forGood && trash.takes(node)) {
    await trash.take(record, node, { untilSent });
    return undefined;
  }
  if (content.handles.size === 0) {
    await tree.api.files.delete(record.id, { untilSent });
    return undefined;
  }
  await asides.keepForHandles(record, node);
  if (content.node === node) return () => asides.delete(record.id);
  await asides.deleteAfter(record.id, content);
  return undefined;
}
