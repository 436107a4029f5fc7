import type { FileRecord } from '../../api/model.ts';
import type { Draft } from '../../content/ports.ts';
import type { FileContent, ReplacedFile } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { ReplacedByDrafts } from './replaced-by-drafts.ts';

/**
 * Publishes a draft over the file that has its name. The platform replaces that for ever: one that somebody here still reads,
 * or that goes to the trash, goes aside first, and is back should the publication fail. The caller holds the lock of the draft's
 * content.
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
  const at = content.goesTo?.target ?? node;
  const file = stepsAside(replacedFiles, { content, node: at, draft });
  if (!file) return publish();
  const fileId = file.record.id;
  try {
    await replacedFiles.setAside(draft.id, { file, node: at });
    content.replaces = undefined;
    return await publish();
  } catch (error) {
    // An earlier file of this draft may have any name by now.
    if (!isFileAlready(draft)) await replacedFiles.tryPutBack(draft.id, fileId);
    content.replaces = replacedFiles.isAside(draft.id, fileId) ? undefined : replaces;
    throw error;
  }
}

function stepsAside(
  replacedFiles: ReplacedByDrafts,
  {
    content,
    node,
    draft,
  }: { readonly content: FileContent; readonly node: ProjectFileNode; readonly draft: Draft },
): ReplacedFile | undefined {
  const { replaces } = content;
  if (replacedFiles.keeps(node) && !isFileAlready(draft))
    return replaces ?? (node.record && { record: node.record, content });
  // Nobody opens it any more: it is out of the tree.
  return replaces && replaces.content.handles.size > 0 ? replaces : undefined;
}

/** The draft's bytes are those of a file of the platform. */
export function isFileAlready(draft: Draft | undefined): boolean {
  return draft !== undefined && !draft.dirty && draft.publishedFileId !== undefined;
}
