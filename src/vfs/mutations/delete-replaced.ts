import type { FileContent } from '../open/file-content.ts';
import type { Tree } from '../tree.ts';

/** Deletes the published file that still has the name of a draft: the draft will not be published over it any more. */
export async function deleteReplaced(tree: Tree, content: FileContent): Promise<void> {
  const { replacesFileId } = content;
  if (replacesFileId === undefined) return;
  await tree.api.files.delete(replacesFileId);
  content.replacesFileId = undefined;
}
