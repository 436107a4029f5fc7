import type { FileRecord } from '../../api/model.ts';
import type { Draft } from '../../content/ports.ts';
import type { FileContent } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { ReplacedByDrafts } from './replaced-by-drafts.ts';

/**
 * Publishes a draft under a name that it was renamed over. The platform replaces what has the name, for ever: a file that
 * somebody here still reads goes aside first, and is back should the publication fail. The caller holds the lock of the
 * draft's content.
 */
export async function publishOver(
  replacedFiles: ReplacedByDrafts,
  {
    content,
    node,
    draft,
  }: { readonly content: FileContent; readonly node: ProjectFileNode; readonly draft: Draft },
  publish: () => Promise<FileRecord>,
): Promise<FileRecord> {
  const { replaces } = content;
  // Nobody opens it any more: it is out of the tree.
  if (!replaces || replaces.content.handles.size === 0) return publish();
  const fileId = replaces.record.id;
  try {
    await replacedFiles.setAside(draft.id, { file: replaces, node: content.goesTo?.target ?? node });
    content.replaces = undefined;
    return await publish();
  } catch (error) {
    // An earlier file of this draft may have any name by now.
    if (!isFileAlready(draft)) await replacedFiles.tryPutBack(draft.id, fileId);
    content.replaces = replacedFiles.isAside(draft.id, fileId) ? undefined : replaces;
    throw error;
  }
}

/** The draft's bytes are those of a file of the platform. */
export function isFileAlready(draft: Draft | undefined): boolean {
  return draft !== undefined && !draft.dirty && draft.publishedFileId !== undefined;
}
